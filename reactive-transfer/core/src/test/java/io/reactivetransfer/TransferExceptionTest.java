package io.reactivetransfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.TransferException.Origin;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TransferExceptionTest {

  private static final EngineId PEER = new EngineId(1, 2);
  private static final Throwable CAUSE = new IllegalStateException("below");

  /** How each kind is made. */
  @FunctionalInterface
  interface Made {
    TransferException with(Origin origin);
  }

  static Stream<Made> kinds() {
    return Stream.of(
        origin -> new TransferRejectedException("text", origin, CAUSE),
        origin -> new TransferFailedException("text", origin, CAUSE),
        origin -> new PeerUnreachableException("text", origin, CAUSE),
        origin -> new DeadlineExceededException("text", origin, CAUSE),
        origin -> new BackendUnavailableException("text", origin, CAUSE));
  }

  static Stream<TransferException> bare() {
    return Stream.of(
        new TransferRejectedException("text"),
        new TransferFailedException("text"),
        new PeerUnreachableException("text"),
        new DeadlineExceededException("text"),
        new BackendUnavailableException("text"));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void saysWhereItHappened(Made made) {
    TransferException error = made.with(new Origin(PEER, "nic3", -11));
    assertThat(error).hasMessage("text").hasCause(CAUSE);
    assertThat(error.peer()).isEqualTo(PEER);
    assertThat(error.nic()).isEqualTo("nic3");
    assertThat(error.code()).isEqualTo(-11);
    assertThat(made.with(Origin.peer(PEER)).nic()).isNull();
  }

  @ParameterizedTest
  @MethodSource("bare")
  void knowsNothingMoreThanItsText(TransferException error) {
    assertThat(error).hasMessage("text").hasNoCause();
    assertThat(error.peer()).isNull();
    assertThat(error.nic()).isNull();
    assertThat(error.code()).isZero();
  }

  @Test
  void survivesSerialisation() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(new TransferFailedException("text", new Origin(PEER, "nic", 5), null));
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      TransferException back = (TransferException) in.readObject();
      assertThat(back).hasMessage("text");
      assertThat(back.code()).isZero();
    }
  }
}
