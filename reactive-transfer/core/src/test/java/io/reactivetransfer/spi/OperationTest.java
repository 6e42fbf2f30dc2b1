package io.reactivetransfer.spi;

import static org.assertj.core.api.Assertions.assertThat;
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
  void isFilledBeforeItIsRead() {
    assertThatIllegalStateException().isThrownBy(() -> new Operation().local());
  }
}
