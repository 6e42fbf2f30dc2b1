package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.libfabric.ffi.FailingLibFabric;
import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.libfabric.ffi.LibFabric;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.tck.driver.FailingCalls;
import io.reactivetransfer.tck.driver.FaultScenario;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The n-th call of libfabric fails, for every n: nothing but a {@link BackendException} comes out,
 * and only where it may; each write is reported once; nothing stays open.
 */
class FaultsTest {

  private static final String ONLY = "reactivetransfer.libfabric.fault";
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final Duration SHORT_TIMEOUT = Duration.ofMillis(200);

  /** In a usual build each third call fails; each call each night. */
  private static final int APART = Integer.getInteger("reactivetransfer.rounds", 1) > 1 ? 1 : 3;

  /** How often completions come in one read or two differs from run to run. */
  private static final int RUNS_WITHOUT = 10;

  private LibfabricSettings settings() {
    return InstalledLibrary.with("tcp");
  }

  @Test
  void withoutAFaultAllIsWrittenAndClosed() {
    ProviderChoice choice = FabricLibrary.load(settings().library()).choose(settings());
    FailingLibFabric failing = new FailingLibFabric(lib(), 0, Fi.FI_ENOMEM);
    scenario(failing, choice, TIMEOUT).expectAllDone();
    assertThat(failing.open()).isEmpty();
    assertThat(failing.mistakes()).isEmpty();
  }

  @Test
  @Timeout(300)
  void whateverCallFailsNothingIsLostOrLeftOpen() {
    failEach(Fi.FI_ENOMEM, 1);
  }

  @Test
  @Timeout(300)
  void whateverIsRefusedIsTriedAgain() {
    failEach(Fi.FI_EAGAIN, Math.min(2, APART)); // in a usual build others than those above
  }

  /** Of those without which a NIC opens: then nothing waits for ever, and each is reported. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "fi_cq_readerr",
        "fi_mr_reg",
        "fi_trywait",
        "fi_accept",
        "fi_connect",
        "fi_listen",
        "fi_passive_ep",
        "fi_writemsg"
      })
  void whatAlwaysFailsEnds(String name) {
    ProviderChoice choice = FabricLibrary.load(settings().library()).choose(settings());
    fail(FailingLibFabric.always(lib(), name), choice, SHORT_TIMEOUT);
  }

  @Test
  void aNicThatCannotBeClosedSaysSo() {
    ProviderChoice choice = FabricLibrary.load(settings().library()).choose(settings());
    FailingLibFabric failing = FailingLibFabric.always(lib(), "fi_close");
    Domain domain = open(failing.calls(), choice, 1, TIMEOUT);
    try (Arena arena = Arena.ofShared()) {
      HostMemory bytes = new HostMemory(arena.allocate(100));
      LocalMemory memory = domain.register(bytes, Access.REMOTE_WRITE).toCompletableFuture().join();
      assertThatExceptionOfType(BackendException.class)
          .isThrownBy(() -> domain.revoke(memory))
          .withMessageContaining("fi_close");
      assertThatExceptionOfType(BackendException.class)
          .isThrownBy(() -> domain.deregister(memory))
          .withMessageContaining("fi_close");
      assertThatExceptionOfType(BackendException.class)
          .isThrownBy(domain::close)
          .withMessageContaining("fi_close");
      failing.release();
      assertThat(failing.mistakes()).isEmpty();
    }
  }

  private void failEach(int error, int first) {
    ProviderChoice choice = FabricLibrary.load(settings().library()).choose(settings());
    FailingCalls.failEach(
        ONLY,
        first,
        APART,
        RUNS_WITHOUT,
        n -> new FailingLibFabric(lib(), n, error),
        failing -> fail(failing, choice, TIMEOUT));
  }

  private static void fail(FailingLibFabric failing, ProviderChoice choice, Duration timeout) {
    FaultScenario scenario = scenario(failing, choice, timeout);
    scenario.expectOneReportOfEach();
    assertThat(scenario.isClosed()).as("closed").isTrue();
    assertThat(failing.open()).as("open").isEmpty();
    assertThat(failing.mistakes()).as("mistakes").isEmpty();
  }

  /** Over these calls, with NICs that wait so long for each other. */
  private static FaultScenario scenario(
      FailingLibFabric failing, ProviderChoice choice, Duration timeout) {
    return FaultScenario.run(
        () -> TwoNics.open(engine -> open(failing.calls(), choice, engine, timeout)));
  }

  private static Domain open(LibFabric lib, ProviderChoice choice, long engine, Duration timeout) {
    return LibfabricDomain.open(
        new FabricLibrary("the library under test", lib),
        choice,
        choice.infos().getFirst(),
        InstalledLibrary.context(engine, timeout));
  }

  @Test
  void aChoiceThatFailsFreesWhatItAskedFor() {
    boolean failed = true;
    for (long n = 1; failed; n++) {
      FailingLibFabric failing = new FailingLibFabric(lib(), n, Fi.FI_ENOMEM);
      try {
        ProviderChoice choice = ProviderChoice.choose(failing.calls(), settings());
        assertThat(failing.infos()).as("infos that are not freed").isEqualTo(1);
        lib().fi_freeinfo(choice.infos().getFirst().address());
      } catch (BackendException e) {
        assertThat(e).hasMessageContaining("tcp: ");
        assertThat(failing.infos()).as("infos that are not freed at call %s", n).isZero();
      }
      failed = failing.failed() != null;
    }
  }

  private LibFabric lib() {
    return FabricLibrary.load(settings().library()).lib();
  }
}
