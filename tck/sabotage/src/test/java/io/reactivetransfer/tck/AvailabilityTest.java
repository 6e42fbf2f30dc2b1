package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;

/** What becomes of a test class whose backend is not there. */
@ResourceLock(Resources.SYSTEM_PROPERTIES)
class AvailabilityTest {

  private static final String WHY =
      "loopback is not available: there is no wire; buy one"; // reason and remedy, in one line

  /** Loopback, which says that it cannot run. */
  private static final class Missing extends ForwardingBackend {
    Missing() {
      super(new LoopbackBackend(), (domain, _) -> domain);
    }

    @Override
    public Availability availability() {
      return Availability.unavailable("there is no wire", "buy one");
    }
  }

  /** Not a test by itself, nor are the others here: they are run by what is below. */
  static class AuthorsOwn extends TransferConformance {
    @Override
    protected Backend backend() {
      return new Missing();
    }
  }

  static class WhereThereIsAWire extends TransferConformance {
    @Override
    protected Backend backend() {
      return new Missing();
    }

    @Override
    protected Profile profile() {
      return Profile.defaults().skipIfUnavailable();
    }
  }

  /** Whatever this build itself was told. */
  private static EngineExecutionResults run(Class<?> kit, boolean requireAll) {
    String before = System.setProperty(Profile.REQUIRE_ALL, String.valueOf(requireAll));
    try {
      return EngineTestKit.engine("junit-jupiter").selectors(selectClass(kit)).execute();
    } finally {
      System.setProperty(Profile.REQUIRE_ALL, before == null ? "false" : before);
    }
  }

  private static void assertFailsAsOne(EngineExecutionResults results, String... words) {
    results.testEvents().assertStatistics(tests -> tests.started(0));
    Events failed = results.containerEvents().failed();
    assertThat(failed.stream()).hasSize(1);
    Event failure = failed.stream().findFirst().orElseThrow();
    assertThat(failure.getRequiredPayload(TestExecutionResult.class).getThrowable())
        .hasValueSatisfying(
            thrown -> assertThat(thrown.getMessage()).contains(WHY).contains(words));
  }

  @Test
  void aBackendThatIsNotThereFailsTheClassAsOne() {
    assertFailsAsOne(run(AuthorsOwn.class, false), "Profile.skipIfUnavailable()");
  }

  @Test
  void whereTheProfileSaysSoTheClassIsSkippedAsOne() {
    EngineExecutionResults results = run(WhereThereIsAWire.class, false);
    results.testEvents().assertStatistics(tests -> tests.started(0));
    results.containerEvents().assertStatistics(containers -> containers.skipped(1).failed(0));
    assertThat(
            results.containerEvents().skipped().stream()
                .map(event -> event.getRequiredPayload(String.class)))
        .containsExactly(WHY);
  }

  @Test
  void whereNothingMayBeSkippedItFailsAllTheSame() {
    assertFailsAsOne(run(WhereThereIsAWire.class, true), "-D" + Profile.REQUIRE_ALL);
  }
}
