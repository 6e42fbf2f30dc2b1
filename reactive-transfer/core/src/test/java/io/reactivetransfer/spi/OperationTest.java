package io.reactivetransfer.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

class OperationTest {

  private static final LocalMemory HERE = () -> new byte[] {1};
  private static final RemoteMemory THERE = new RemoteMemory() {};

  private static Operation operation() {
    return new Operation().between(HERE, THERE);
  }

  @Test
  void isOneRowUnlessThatIsSaid() {
    Operation op = operation().range(1, 2, 30);
    assertThat(op.rows()).isEqualTo(1);
    assertThat(op.rowLength()).isEqualTo(30);
    assertThat(op.localExtent()).isEqualTo(30);
    assertThat(op.remoteExtent()).isEqualTo(30);
    op.inRows(3, 40, 11);
    assertThat(op.rows()).isEqualTo(3);
    assertThat(op.rowLength()).isEqualTo(10);
    assertThat(op.length()).isEqualTo(30);
    assertThat(op.localExtent()).isEqualTo(90);
    assertThat(op.remoteExtent()).isEqualTo(32);
    op.range(1, 2, 30);
    assertThat(op.rows()).as("of what is described next").isEqualTo(1);
    assertThat(op.localExtent()).isEqualTo(30);
  }

  @Test
  void itsCopySaysTheSame() {
    Operation op = operation().range(1, 2, 30).inRows(3, 40, 11).token(7).withImm(8);
    Operation copy = op.copy();
    op.range(0, 0, 0).token(0).withoutImm();
    assertThat(copy.local()).isSameAs(HERE);
    assertThat(copy.remote()).isSameAs(THERE);
    assertThat(copy.localOffset()).isEqualTo(1);
    assertThat(copy.remoteOffset()).isEqualTo(2);
    assertThat(copy.length()).isEqualTo(30);
    assertThat(copy.rows()).isEqualTo(3);
    assertThat(copy.localStride()).isEqualTo(40);
    assertThat(copy.remoteStride()).isEqualTo(11);
    assertThat(copy.token()).isEqualTo(7);
    assertThat(copy.hasImm()).isTrue();
    assertThat(copy.imm()).isEqualTo(8);
    assertThat(operation().range(0, 0, 0).copy().rows()).isEqualTo(1);
  }

  @Test
  void whatIsTooLongTakesAllThereIs() {
    Operation op = operation().range(0, 0, 30);
    assertThat(op.inRows(3, Long.MAX_VALUE, Long.MAX_VALUE / 2).localExtent())
        .isEqualTo(Long.MAX_VALUE);
    assertThat(op.remoteExtent()).isEqualTo(Long.MAX_VALUE);
    assertThat(op.inRows(3, 0, (Long.MAX_VALUE - 10) / 2).remoteExtent())
        .isEqualTo(Long.MAX_VALUE - 1);
    assertThat(op.localExtent()).isEqualTo(10);
  }

  @Test
  void rowsAreAlike() {
    Operation op = operation().range(0, 0, 30);
    for (int rows : new int[] {0, -3, 4, 31}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> op.inRows(rows, 10, 10))
          .withMessageContaining("got " + rows);
    }
    assertThatIllegalArgumentException().isThrownBy(() -> op.inRows(3, -1, 10));
    assertThatIllegalArgumentException().isThrownBy(() -> op.inRows(3, 10, -1));
    assertThat(op.rows()).isEqualTo(1);
  }

  @Test
  void rowsThatAreGatheredLieWhereTheirNumbersSay() {
    int[] list = {9, 9, 4, 0, 4, 7, 9};
    Operation op = operation().range(5, 2, 30);
    assertThat(op.isGathered()).isFalse();
    assertThat(op.localOffset(0)).isEqualTo(5);
    assertThat(op.gathering(list, 2, 3, 40, 11)).isSameAs(op);
    assertThat(op.isGathered()).isTrue();
    assertThat(op.rows()).isEqualTo(3);
    assertThat(op.rowLength()).isEqualTo(10);
    assertThat(op.localOffset()).isEqualTo(5);
    assertThat(op.localStride()).isEqualTo(40);
    assertThat(op.remoteStride()).isEqualTo(11);
    assertThat(op.localOffset(0)).isEqualTo(5 + 160);
    assertThat(op.localOffset(1)).isEqualTo(5);
    assertThat(op.localOffset(2)).isEqualTo(5 + 160);
    assertThat(op.localExtent()).as("up to the row that lies last").isEqualTo(170);
    assertThat(op.remoteExtent()).isEqualTo(32);
    assertThatIllegalArgumentException().isThrownBy(() -> op.gathering(list, 0, 1, 40, 11));
    assertThat(op.gathering(list, 5, 2, 0, 15).localOffset(1)).isEqualTo(5);
    assertThat(op.localExtent()).isEqualTo(15);
  }

  @Test
  void rowsThatFollowEachOtherLieAtTheirStride() {
    Operation op = operation().range(5, 2, 30).inRows(3, 40, 11);
    assertThat(op.localOffset(0)).isEqualTo(5);
    assertThat(op.localOffset(2)).isEqualTo(85);
    for (int row : new int[] {-1, 3, Integer.MAX_VALUE}) {
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> op.localOffset(row));
    }
    op.gathering(new int[] {1, 2, 3, 4}, 0, 3, 40, 11);
    assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> op.localOffset(3));
  }

  @Test
  void nothingIsGatheredOfWhatIsDescribedNext() {
    int[] list = {4, 0, 4};
    Operation op = operation().range(5, 2, 30).gathering(list, 0, 3, 40, 11);
    op.range(1, 2, 30);
    assertThat(op.isGathered()).isFalse();
    assertThat(op.localExtent()).isEqualTo(30);
    op.gathering(list, 0, 3, 40, 11).inRows(3, 40, 11);
    assertThat(op.isGathered()).isFalse();
    assertThat(op.localOffset(1)).isEqualTo(41);
    assertThat(op.localExtent()).isEqualTo(90);
  }

  @Test
  void itsCopyHasAListOfItsOwn() {
    int[] list = {9, 4, 0, 4};
    Operation op = operation().range(1, 2, 30).gathering(list, 1, 3, 40, 11).token(7).withImm(8);
    Operation copy = op.copy();
    list[1] = 5;
    op.range(0, 0, 0).token(0).withoutImm();
    assertThat(copy.isGathered()).isTrue();
    assertThat(copy.rows()).isEqualTo(3);
    assertThat(copy.localOffset(0)).isEqualTo(161);
    assertThat(copy.localOffset(1)).isEqualTo(1);
    assertThat(copy.localOffset(2)).isEqualTo(161);
    assertThat(copy.localExtent()).isEqualTo(170);
    assertThat(copy.remoteStride()).isEqualTo(11);
    assertThat(copy.token()).isEqualTo(7);
    assertThat(copy.imm()).isEqualTo(8);
  }

  @Test
  void rowsThatAreGatheredAreAlikeAndWithinTheirList() {
    int[] list = {0, 1, Integer.MAX_VALUE};
    Operation op = operation().range(0, 0, 30);
    for (int first : new int[] {-1, 1, 3, Integer.MAX_VALUE}) {
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> op.gathering(list, first, 3, 10, 10));
    }
    assertThatIllegalArgumentException().isThrownBy(() -> op.gathering(list, 0, 0, 10, 10));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> op.range(0, 0, 31).gathering(list, 0, 3, 10, 10));
    assertThatIllegalArgumentException().isThrownBy(() -> op.gathering(list, 0, 2, -1, 10));
    assertThatIllegalArgumentException().isThrownBy(() -> op.gathering(list, 0, 2, 1, -10));
    assertThat(op.isGathered()).isFalse();
    op.range(0, 0, 30).gathering(list, 0, 3, Long.MAX_VALUE / 8, 10);
    assertThat(op.localExtent()).as("what is too far").isEqualTo(Long.MAX_VALUE);
    op.range(0, 0, 30).gathering(list, 0, 3, 1L << 31, 10);
    assertThat(op.localOffset(2)).isEqualTo((long) Integer.MAX_VALUE << 31);
    assertThat(op.localExtent()).isEqualTo(((long) Integer.MAX_VALUE << 31) + 10);
  }

  @Test
  void isFilledBeforeItIsRead() {
    assertThatIllegalStateException().isThrownBy(() -> new Operation().local());
  }
}
