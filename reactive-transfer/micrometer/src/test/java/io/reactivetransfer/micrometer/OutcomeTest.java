package io.reactivetransfer.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import org.junit.jupiter.api.Test;

class OutcomeTest {

  @Test
  void eachFailureHasItsCause() {
    assertThat(Outcome.of((Throwable) null)).isEqualTo(Outcome.DONE);
    assertThat(Outcome.of(new TransferRejectedException(""))).isEqualTo(Outcome.REFUSED);
    assertThat(Outcome.of(new DeadlineExceededException(""))).isEqualTo(Outcome.DEADLINE);
    assertThat(Outcome.of(new PeerUnreachableException(""))).isEqualTo(Outcome.PEER_LOST);
    assertThat(Outcome.of(new TransferFailedException(""))).isEqualTo(Outcome.LOCAL);
    assertThat(Outcome.of(new BackendUnavailableException(""))).isEqualTo(Outcome.LOCAL);
    assertThat(Outcome.of(new IllegalStateException())).isEqualTo(Outcome.UPSTREAM);
  }
}
