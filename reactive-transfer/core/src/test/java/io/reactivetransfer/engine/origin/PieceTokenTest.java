package io.reactivetransfer.engine.origin;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.spi.Operation;
import org.junit.jupiter.api.Test;

class PieceTokenTest {

  private static final long[] PIECES = {0, 1, 4_711, PieceToken.MAX_PIECES - 1};

  @Test
  void thePiecesOfAFlightAreOneRun() {
    long token = PieceToken.of(7, 3, 5);
    for (long piece : PIECES) {
      assertThat(Operation.areOfOneRun(token, PieceToken.of(7, piece, 5))).isTrue();
    }
  }

  @Test
  void thoseOfAnotherFlightAreNot() {
    long token = PieceToken.of(7, 3, 5);
    for (long piece : PIECES) {
      assertThat(Operation.areOfOneRun(token, PieceToken.of(7, piece, 4))).isFalse();
      assertThat(Operation.areOfOneRun(token, PieceToken.of(8, piece, 5))).isFalse();
      int lastSlot = PieceToken.MAX_FLIGHTS - 1;
      assertThat(Operation.areOfOneRun(token, PieceToken.of(7, piece, lastSlot))).isFalse();
    }
  }
}
