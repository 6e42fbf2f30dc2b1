package io.reactivetransfer.libfabric;

import static org.junit.jupiter.api.extension.ConditionEvaluationResult.disabled;
import static org.junit.jupiter.api.extension.ConditionEvaluationResult.enabled;

import io.reactivetransfer.spi.Availability.Unavailable;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Capability;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.TransferConformance;
import io.reactivetransfer.tck.process.TwoProcesses;
import java.lang.foreign.Arena;
import java.lang.foreign.SegmentAllocator;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The kit over the provider shm, from one process to another and back, where the library is fit for
 * it: from 2.0 on, which {@code FI_LIBRARY} may name. But for the rules for which two engines of
 * one process must reach each other.
 */
@ExtendWith(ShmTwoProcessesConformanceTest.BetweenTwoProcesses.class)
class ShmTwoProcessesConformanceTest extends TransferConformance {

  private static final TwoProcesses BOTH = new TwoProcesses(Shm.class);

  static final class Shm implements Supplier<Backend> {
    @Override
    public Backend get() {
      return LibfabricBackend.builder().provider(Provider.SHM).build();
    }
  }

  static final class BetweenTwoProcesses implements ExecutionCondition {

    private static final Set<String> NEED_THREE_PROCESSES =
        Set.of(
            "r2_9_arrivalsFromSeveralOriginsAllCount",
            "r8_4_whatWasCountedOfATransferToSeveralIsTakenBackAsWell",
            "r10_4_aScatterCountsOnceForEachTarget",
            "r10_5_aSignalCountsOnceForEachMember",
            "r11_3_eachPartOfAScatterComesToItsTarget",
            "r13_3_aMessageNamesItsSender",
            "r17_20_whoIsNamedAsOriginIsIt",
            "r17_35_theSameOfSeveralOrigins",
            "r21_1_nobodyPassesBeforeAllHaveEntered",
            "r21_2_everyRoundIsABarrierOfItsOwn",
            "r21_3_theLossOfAMemberEndsTheBarrier");

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      if (new Shm().get().availability() instanceof Unavailable not) {
        return disabled(not.reason());
      }
      if (context.getRequiredTestClass().getSimpleName().equals("ReactiveStreams")) {
        return disabled("it is about what an engine does itself");
      }
      return context
              .getTestMethod()
              .filter(rule -> NEED_THREE_PROCESSES.contains(rule.getName()))
              .isPresent()
          ? disabled("two of its three engines are in one process")
          : enabled("about what crosses the border");
    }
  }

  @AfterAll
  static void end() {
    BOTH.close();
  }

  @Override
  protected Backend backend() {
    return BOTH;
  }

  @Override
  protected Profile profile() {
    return Profile.defaults()
        .without(Capability.REVOCATION, "where the kernel copies, registrations are not looked at");
  }

  @Override
  protected SegmentAllocator memory(Arena arena) {
    return BOTH.memory();
  }
}
