package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.base.Probe;
import org.junit.jupiter.api.Test;

/** Backends by name; the test resources name one that is absent and one that does not exist. */
class BackendsTest {

  @Test
  void anUnknownNameListsWhatThereIsAndWhyTheRestIsNot() {
    assertThatExceptionOfType(BackendUnavailableException.class)
        .isThrownBy(() -> TransferEngineBuilder.create().backend("tpc"))
        .withMessageContaining("'tpc'")
        .withMessageContaining("absent (not available: its card is not there)")
        .withMessageContaining("NoSuchBackend");
  }

  @Test
  void aKnownNameThatCannotRunSaysSoWhenItIsOpened() throws InterruptedException {
    TransferEngineBuilder builder = TransferEngineBuilder.create().backend("absent");
    Probe<TransferEngine> probe = Probe.unbounded();
    builder.open().subscribe(probe);
    assertThat(probe.awaitEnd(20)).isTrue();
    assertThat(probe.error())
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("its card is not there")
        .hasMessageContaining("buy one");
  }
}
