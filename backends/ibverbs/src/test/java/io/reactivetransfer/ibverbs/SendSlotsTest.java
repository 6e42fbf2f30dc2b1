package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.ibverbs.ffi.Receives;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

/** A write that is posted again has another id each time, and none is that of receives. */
class SendSlotsTest {

  private static final int SLOTS = 4;

  @Test
  void anIdIsThatOfItsSlotUntilTheNextOneIsGiven() {
    try (Arena arena = Arena.ofShared()) {
      SendSlots slots = new SendSlots(arena, SLOTS);
      HostMemory memory = new HostMemory(arena.allocate(1));
      VerbsMemory source = new VerbsMemory(memory, arena.scope(), Access.LOCAL, 1, 1, null);
      while (!slots.isFull()) {
        int slot = slots.take(1, source);
        long first = slots.nextId(slot);
        assertThat(slots.slotOf(first)).isEqualTo(slot);
        long next = slots.nextId(slot);
        assertThat(slots.slotOf(first)).isEqualTo(SendSlots.NONE);
        assertThat(slots.slotOf(next)).isEqualTo(slot);
      }
      assertThat(slots.slotOf(Receives.ID)).isEqualTo(SendSlots.NONE);
    }
  }
}
