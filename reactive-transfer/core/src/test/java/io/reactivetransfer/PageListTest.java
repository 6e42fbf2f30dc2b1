package io.reactivetransfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageListTest {

  /** Below it a bit set finds duplicates, from there on sorting does. */
  private static final int LARGE = 1 << 24;

  @Test
  void keepsItsOrder() {
    PageList pages = PageList.of(7, 0, 3);
    assertThat(pages.size()).isEqualTo(3);
    assertThat(pages.get(0)).isEqualTo(7);
    assertThat(pages.get(1)).isZero();
    assertThat(pages.get(2)).isEqualTo(3);
    assertThat(pages.largest()).isEqualTo(7);
    assertThat(pages.toArray()).containsExactly(7, 0, 3);
    assertThat(pages).hasToString("3 pages, largest index 7");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 3, 4 * 7 + 2})
  void aSegmentIsOfWholeIntegers(long bytes) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PageList.of(Arena.ofAuto().allocate(bytes)))
        .withMessage(
            "expected a segment of 32-bit page indices, a multiple of 4 bytes, got %s bytes",
            bytes);
  }

  @Test
  void isACopyBothWays() {
    int[] given = {1, 2};
    PageList pages = PageList.of(given);
    given[0] = 2;
    pages.toArray()[1] = 9;
    assertThat(pages.toArray()).containsExactly(1, 2);
  }

  @Test
  void refusesNoPages() {
    assertThatIllegalArgumentException().isThrownBy(PageList::of);
    assertThatIllegalArgumentException().isThrownBy(() -> PageList.of(MemorySegment.NULL));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, Integer.MIN_VALUE})
  void refusesNegativePages(int index) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PageList.of(0, index))
        .withMessageContaining(String.valueOf(index));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, LARGE - 1, LARGE, LARGE + 1, Integer.MAX_VALUE})
  void refusesAPageThatComesTwice(int index) {
    assertThat(PageList.of(5, index).largest()).isEqualTo(Math.max(5, index));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PageList.of(index, 5, index))
        .withMessageContaining("page " + index + " more than once");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PageList.of(5, Integer.MAX_VALUE, 5))
        .withMessageContaining("page 5 more than once");
  }

  @Test
  void findsDuplicatesAsASetDoes() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 2_000; round++) {
      int bound = random.nextBoolean() ? 50 : Integer.MAX_VALUE;
      int[] indices = random.ints(1 + random.nextInt(12), 0, bound).toArray();
      Set<Integer> set = new HashSet<>();
      boolean distinct = true;
      for (int index : indices) {
        distinct &= set.add(index);
      }
      if (distinct) {
        assertThat(PageList.of(indices).toArray()).as("seed %d", seed).isEqualTo(indices);
      } else {
        assertThatIllegalArgumentException()
            .as("seed %d, round %d", seed, round)
            .isThrownBy(() -> PageList.of(indices));
      }
    }
  }

  @Test
  void isReadFromMemoryOnce() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_INT, 4, 2, LARGE);
      PageList pages = PageList.of(memory);
      memory.fill((byte) 0);
      assertThat(pages.toArray()).containsExactly(4, 2, LARGE);
      assertThatThrownBy(() -> PageList.of(memory.asSlice(0, 7)))
          .isInstanceOf(RuntimeException.class);
    }
    assertThat(PageList.of(MemorySegment.ofArray(new byte[] {0, 1, 0, 0, 0}).asSlice(1, 4)).size())
        .as("memory need not be aligned")
        .isEqualTo(1);
  }

  @Test
  void canBeARange() {
    assertThat(PageList.range(3, 4).toArray()).containsExactly(3, 4, 5, 6);
    assertThat(PageList.range(Integer.MAX_VALUE - 2, 2).largest()).isEqualTo(Integer.MAX_VALUE - 1);
    assertThatIllegalArgumentException().isThrownBy(() -> PageList.range(0, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> PageList.range(-1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> PageList.range(Integer.MAX_VALUE, 2));
    assertThatIllegalArgumentException().isThrownBy(() -> PageList.range(2, Integer.MAX_VALUE));
  }
}
