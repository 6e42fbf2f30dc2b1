package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.ibverbs.ffi.Gid;
import io.reactivetransfer.ibverbs.ffi.Receives;
import java.lang.foreign.Arena;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each write has a slot of its own, and what comes late is not taken for the present one. */
class SendSlotsTest {

  private static final int SLOTS = 4;

  private final Arena arena = Arena.ofConfined();
  private final SendSlots slots = new SendSlots(arena, SLOTS);
  private final VerbsPeer peer =
      new VerbsPeer(new EngineId(1, 1), new VerbsAddress(2, 5, 0, new Gid(0, 1)), slots);
  private final Connection connection = new Connection(peer, 1, slots);

  @AfterEach
  void free() {
    arena.close();
  }

  private static VerbsMemory memory(Arena of) {
    return new VerbsMemory(of.scope(), 0, 1, Access.LOCAL, 1, 1, null);
  }

  @Test
  void slotsAreGivenOnceUntilTheyAreGivenBack() {
    Set<Integer> given = new HashSet<>();
    for (int i = 0; i < SLOTS; i++) {
      assertThat(slots.isFull()).isFalse();
      int slot = slots.take(100 + i, memory(arena));
      assertThat(given.add(slot)).isTrue();
      assertThat(slots.token(slot)).isEqualTo(100 + i);
    }
    assertThat(slots.isFull()).isTrue();
    slots.release(2);
    assertThat(slots.isFull()).isFalse();
    assertThat(slots.take(7, memory(arena))).isEqualTo(2);
  }

  @Test
  void anIdIsThatOfItsSlotUntilTheNextOneIsGiven() {
    int slot = slots.take(1, memory(arena));
    long first = slots.nextId(slot);
    assertThat(slots.slotOf(first)).as("of no connection").isEqualTo(SendSlots.NONE);
    slots.connection(slot, connection);
    assertThat(slots.slotOf(first)).isEqualTo(slot);
    long next = slots.nextId(slot);
    assertThat(slots.slotOf(first)).isEqualTo(SendSlots.NONE);
    assertThat(slots.slotOf(next)).isEqualTo(slot);
    slots.release(slot);
    assertThat(slots.slotOf(next)).isEqualTo(SendSlots.NONE);
  }

  @Test
  void anIdOfNoSlotIsOfNone() {
    assertThat(slots.slotOf(Receives.ID)).isEqualTo(SendSlots.NONE);
    assertThat(slots.slotOf(SLOTS)).isEqualTo(SendSlots.NONE);
    assertThat(slots.slotOf(0)).isEqualTo(SendSlots.NONE);
  }

  @Test
  void aSourceThatWasFreedIsNotAlive() {
    int slot;
    try (Arena freed = Arena.ofConfined()) {
      slot = slots.take(1, memory(freed));
      assertThat(slots.isSourceAlive(slot)).isTrue();
    }
    assertThat(slots.isSourceAlive(slot)).isFalse();
    slots.release(slot);
    assertThat(slots.isSourceAlive(slot)).isFalse();
  }
}
