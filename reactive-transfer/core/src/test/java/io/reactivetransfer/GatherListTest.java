package io.reactivetransfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GatherListTest {

  private static GatherList list() {
    return GatherList.of(10, 30, 12);
  }

  private static int[] numbers(GatherList list) {
    int[] numbers = new int[list.size()];
    list.copyTo(numbers, list.size());
    return numbers;
  }

  @Test
  void keepsItsOrderAndEachTimeThatARowIsListed() {
    GatherList list = list().add(7).addRange(3, 3).add(0).add(7).addRange(9, 0);
    assertThat(list.size()).isEqualTo(6);
    assertThat(numbers(list)).containsExactly(7, 3, 4, 5, 0, 7);
    assertThat(list.get(5)).isEqualTo(7);
    assertThat(list.length()).isEqualTo(60);
    assertThat(list.sourceExtent()).isEqualTo(7 * 30 + 10);
    assertThat(list.targetExtent()).isEqualTo(5 * 12 + 10);
    assertThat(list.rowLength()).isEqualTo(10);
    assertThat(list.sourceStride()).isEqualTo(30);
    assertThat(list.targetStride()).isEqualTo(12);
    assertThat(list)
        .hasToString("6 rows of 10 bytes, gathered at a stride of 30 and put at one of 12");
  }

  @Test
  void listsNothingUnlessItIsTold() {
    GatherList list = list();
    assertThat(list.size()).isZero();
    assertThat(list.length()).isZero();
    assertThat(list.sourceExtent()).isZero();
    assertThat(list.targetExtent()).isZero();
    assertThat(list.addRange(5, 0).size()).isZero();
  }

  @Test
  void isUsedAgain() {
    GatherList list = list();
    for (int round = 1; round < 5; round++) {
      int count = 20 * round;
      assertThat(list.clear().addRange(round, count)).isSameAs(list);
      assertThat(list.size()).isEqualTo(count);
      assertThat(list.get(0)).isEqualTo(round);
      assertThat(list.get(count - 1)).isEqualTo(round + count - 1);
      assertThat(list.sourceExtent()).isEqualTo((round + count - 1) * 30L + 10);
    }
    assertThat(list.clear().add(1).sourceExtent()).as("of what is listed now").isEqualTo(40);
  }

  @Test
  void itsCopyIsItsOwn() {
    GatherList list = list().add(3).add(1);
    GatherList copy = list.copy();
    list.clear().add(8).add(9).add(10);
    assertThat(numbers(copy)).containsExactly(3, 1);
    assertThat(copy.add(2).targetExtent()).isEqualTo(34);
    assertThat(numbers(list)).containsExactly(8, 9, 10);
    assertThat(copy)
        .asString()
        .endsWith("of 10 bytes, gathered at a stride of 30 and put at one of 12");
  }

  /** Somebody else may change it meanwhile, so whoever copies may ask for more than there is. */
  @Test
  void noMoreIsCopiedThanIsAskedFor() {
    GatherList list = list().add(3).add(1);
    int[] numbers = {-1, -1, -1};
    list.copyTo(numbers, 1);
    assertThat(numbers).containsExactly(3, -1, -1);
    int[] many = new int[1_000];
    list.copyTo(many, 1_000);
    assertThat(many).startsWith(3, 1).endsWith(0, 0);
  }

  @ParameterizedTest
  @CsvSource({"-1", "2", "16", "2147483647"})
  void aPositionIsWithinIt(int position) {
    GatherList list = list().add(3).add(1);
    assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> list.get(position));
  }

  @ParameterizedTest
  @CsvSource({"-1, 1", "-1, 0", "0, -1", "2147483647, 2", "2, 2147483647", "-2147483648, 1"})
  void rowsHaveNumbers(int first, int count) {
    GatherList list = list().add(3);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> list.addRange(first, count))
        .withMessage(
            "expected rows of 0 or more, and 0 or more of them, got " + count + " from " + first);
    assertThat(numbers(list)).containsExactly(3);
  }

  @Test
  void theLastNumberIsARow() {
    GatherList list = list().add(Integer.MAX_VALUE).addRange(Integer.MAX_VALUE - 1, 2);
    assertThat(numbers(list))
        .containsExactly(Integer.MAX_VALUE, Integer.MAX_VALUE - 1, Integer.MAX_VALUE);
    assertThat(list.sourceExtent()).isEqualTo(Integer.MAX_VALUE * 30L + 10);
    assertThatIllegalArgumentException().isThrownBy(() -> list.add(-1));
  }

  @Test
  void moreRowsThanThereAreNumbersAreRefused() {
    GatherList list = list().add(1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> list.addRange(0, Integer.MAX_VALUE))
        .withMessage("expected a list of fewer than 2^31 rows, got 2147483647 behind 1");
    assertThat(list.size()).isEqualTo(1);
  }

  @Test
  void whatIsTooLongTakesAllThereIs() {
    long half = Long.MAX_VALUE / 2;
    GatherList list = GatherList.of(half, half, half).addRange(0, 2);
    assertThat(list.length()).isEqualTo(2 * half);
    assertThat(list.sourceExtent()).isEqualTo(2 * half);
    assertThat(list.targetExtent()).isEqualTo(2 * half);
    list.add(0);
    assertThat(list.length()).isEqualTo(Long.MAX_VALUE);
    assertThat(list.sourceExtent()).isEqualTo(2 * half);
    assertThat(list.targetExtent()).isEqualTo(Long.MAX_VALUE);
    assertThat(list.clear().add(2).sourceExtent()).isEqualTo(Long.MAX_VALUE);
    GatherList far = GatherList.of(1, Long.MAX_VALUE, Long.MAX_VALUE);
    assertThat(far.add(0).sourceExtent()).isEqualTo(1);
    assertThat(far.add(1).sourceExtent()).isEqualTo(Long.MAX_VALUE);
    assertThat(far.targetExtent()).isEqualTo(Long.MAX_VALUE);
  }

  @ParameterizedTest
  @CsvSource({"0, 1, 1", "-1, 1, 1", "1, 0, 1", "1, -1, 1", "-9223372036854775808, 1, 1"})
  void rowsHaveBytesAndAreApart(long length, long sourceStride, long targetStride) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GatherList.of(length, sourceStride, targetStride))
        .withMessageEndingWith("got " + length + " and " + sourceStride);
  }

  @ParameterizedTest
  @CsvSource({"2, 1", "1, 0", "1, -1"})
  void rowsDoNotOverlapAtTheTarget(long length, long targetStride) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GatherList.of(length, 1, targetStride))
        .withMessage(
            "expected target rows that do not overlap (stride of at least the row length "
                + length
                + "), got a stride of "
                + targetStride);
    GatherList overlapping = GatherList.of(8, 1, 8); // those of the source may
    assertThat(overlapping.add(3).sourceExtent()).isEqualTo(11);
  }
}
