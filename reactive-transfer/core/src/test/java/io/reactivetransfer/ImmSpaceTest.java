package io.reactivetransfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Immediates, and who has which. */
class ImmSpaceTest {

  @Test
  void anImmediateHas29Bits() {
    assertThat(Imm.MAX_VALUE).isEqualTo(536_870_911);
    assertThat(Imm.of(0).value()).isZero();
    assertThat(Imm.of(Imm.MAX_VALUE)).isEqualTo(new Imm(Imm.MAX_VALUE));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, Integer.MIN_VALUE, Imm.MAX_VALUE + 1, Integer.MAX_VALUE})
  void refusesWhatDoesNotFit(int value) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Imm.of(value))
        .withMessageContaining(String.valueOf(value));
  }

  @Test
  void handsOutEachOnce() {
    ImmSpace space = ImmSpace.of(Imm.of(100), 3);
    assertThat(List.of(space.take(), space.take(), space.take()))
        .containsExactlyInAnyOrder(Imm.of(100), Imm.of(101), Imm.of(102));
    assertThat(space.taken()).isEqualTo(3);
    assertThatIllegalStateException().isThrownBy(space::take).withMessageContaining("3");
    assertThat(space.taken()).isEqualTo(3);
  }

  @Test
  void takesBackOnlyWhatItGave() {
    ImmSpace space = ImmSpace.of(Imm.of(100), 3);
    Imm imm = space.take();
    space.release(imm);
    assertThat(space.taken()).isZero();
    assertThatIllegalArgumentException().isThrownBy(() -> space.release(imm));
    assertThatIllegalArgumentException().isThrownBy(() -> space.release(Imm.of(99)));
    assertThatIllegalArgumentException().isThrownBy(() -> space.release(Imm.of(103)));
    assertThat(space.taken()).isZero();
  }

  @Test
  void isBounded() {
    assertThatIllegalArgumentException().isThrownBy(() -> ImmSpace.of(Imm.of(0), 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ImmSpace.of(Imm.of(1), Imm.MAX_VALUE + 1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ImmSpace.of(Imm.of(5), Integer.MAX_VALUE));
    assertThat(ImmSpace.of(Imm.of(Imm.MAX_VALUE), 1).take()).isEqualTo(Imm.of(Imm.MAX_VALUE));
    ImmSpace whole = ImmSpace.whole();
    assertThat(whole.take()).isNotEqualTo(whole.take());
  }

  @Test
  void spacesSideBySideShareNothing() {
    ImmSpace low = ImmSpace.of(Imm.of(0), 4);
    ImmSpace high = ImmSpace.of(Imm.of(4), 4);
    Set<Imm> all = new HashSet<>();
    for (int i = 0; i < 4; i++) {
      all.add(low.take());
      all.add(high.take());
    }
    assertThat(all).hasSize(8);
  }

  @Test
  void whatWasGivenBackRestsUntilAllOthersHadTheirTurn() {
    ImmSpace space = ImmSpace.of(Imm.of(0), 3);
    Imm first = space.take();
    space.release(first);
    Imm second = space.take();
    space.release(second);
    Imm third = space.take();
    assertThat(Set.of(first, second, third)).hasSize(3);
    assertThat(space.take()).isEqualTo(first);
  }

  @Test
  void whatWasHeldLongRestsLikeAllOthers() {
    ImmSpace space = ImmSpace.of(Imm.of(0), 3);
    Imm first = space.take();
    Imm second = space.take();
    Imm third = space.take();
    space.release(third);
    space.release(first);
    assertThat(space.take()).as("unused for longest").isEqualTo(third);
    assertThat(space.take()).isEqualTo(first);
    space.release(second);
    assertThat(space.take()).isEqualTo(second);
  }

  /** The model: never used ones first, then in the order in which they were given back. */
  @Test
  void handsOutWhatHasBeenUnusedForLongest() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    int size = 50;
    ImmSpace space = ImmSpace.of(Imm.of(7), size);
    List<Imm> held = new ArrayList<>();
    ArrayDeque<Imm> given = new ArrayDeque<>();
    int fresh = 0;
    for (int step = 0; step < 20_000; step++) {
      if (held.isEmpty() || (held.size() < size && random.nextInt(100) < 52)) {
        Imm imm = space.take();
        if (fresh < size) {
          fresh++;
          assertThat(given).as("seed %d, step %d", seed, step).doesNotContain(imm);
        } else {
          assertThat(imm).as("seed %d, step %d", seed, step).isEqualTo(given.poll());
        }
        assertThat(held).doesNotContain(imm);
        held.add(imm);
      } else {
        Imm imm = held.remove(random.nextInt(held.size()));
        space.release(imm);
        given.add(imm);
      }
      assertThat(space.taken()).isEqualTo(held.size());
    }
  }

  @Test
  void inALargeSpaceManyOthersGoFirst() {
    ImmSpace space = ImmSpace.whole();
    Imm held = space.take();
    for (int i = 0; i < 100_000; i++) {
      space.release(space.take());
    }
    space.release(held);
    for (int i = 0; i < 10_000; i++) {
      Imm imm = space.take();
      assertThat(imm).isNotEqualTo(held);
      space.release(imm);
    }
  }
}
