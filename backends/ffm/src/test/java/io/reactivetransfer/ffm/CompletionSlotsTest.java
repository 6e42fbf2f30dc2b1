package io.reactivetransfer.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each write has a slot of its own, and what comes late is not taken for the present one. */
class CompletionSlotsTest {

  private static final int SLOTS = 4;
  private static final int BITS = 2;

  private final CompletionSlots slots = new CompletionSlots(SLOTS, BITS);

  private int take(long token) {
    return slots.take(token, Arena.global().scope());
  }

  @Test
  void slotsAreGivenOnceUntilTheyAreGivenBack() {
    Set<Integer> given = new HashSet<>();
    for (int i = 0; i < SLOTS; i++) {
      assertThat(slots.isFull()).isFalse();
      int next = slots.next();
      int slot = take(100 + i);
      assertThat(slot).isEqualTo(next);
      assertThat(given.add(slot)).isTrue();
      assertThat(slots.token(slot)).isEqualTo(100 + i);
    }
    assertThat(slots.isFull()).isTrue();
    slots.release(2);
    assertThat(slots.isFull()).isFalse();
    assertThat(take(7)).isEqualTo(2);
  }

  @Test
  void anIdIsThatOfItsSlotUntilItIsRenewedOrGivenBack() {
    long early = slots.id(slots.next());
    assertThat(slots.slotOf(early)).isEqualTo(CompletionSlots.NONE);
    int slot = take(1);
    assertThat(slots.slotOf(early)).isEqualTo(slot);
    slots.renew(slot);
    assertThat(slots.slotOf(early)).isEqualTo(CompletionSlots.NONE);
    long late = slots.id(slot);
    assertThat(slots.slotOf(late)).isEqualTo(slot);
    slots.release(slot);
    assertThat(slots.slotOf(late)).isEqualTo(CompletionSlots.NONE);
    assertThat(take(2)).isEqualTo(slot);
    assertThat(slots.slotOf(late)).isEqualTo(CompletionSlots.NONE);
  }

  @Test
  void idsComeAgainAfterAllGenerations() {
    for (int slot = 0; slot < SLOTS; slot++) {
      Set<Long> ids = new HashSet<>();
      for (int i = 0; i < 2 << BITS; i++) {
        assertThat(slots.id(slot)).isBetween(0L, (long) (SLOTS << BITS) - 1);
        ids.add(slots.id(slot));
        slots.renew(slot);
      }
      assertThat(ids).hasSize(1 << BITS);
    }
  }

  @Test
  void anIdOfNoSlotIsOfNone() {
    while (!slots.isFull()) {
      take(1);
    }
    for (long id : new long[] {-1, Long.MIN_VALUE, SLOTS << BITS, Long.MAX_VALUE, 1L << 34}) {
      assertThat(slots.slotOf(id)).as("slot of %s", id).isEqualTo(CompletionSlots.NONE);
    }
  }

  @Test
  void aSourceThatWasFreedIsNotAlive() {
    int slot;
    try (Arena freed = Arena.ofConfined()) {
      slot = slots.take(1, freed.scope());
      assertThat(slots.isSourceAlive(slot)).isTrue();
    }
    assertThat(slots.isSourceAlive(slot)).isFalse();
    slots.release(slot);
    assertThat(slots.isSourceAlive(slot)).isFalse();
  }
}
