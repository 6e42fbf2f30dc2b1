package io.reactivetransfer.libfabric;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.TransferConformance;
import io.reactivetransfer.tck.process.TwoProcesses;
import java.lang.foreign.Arena;
import java.lang.foreign.SegmentAllocator;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The kit over the provider tcp, from one process to another and back: in a usual build what
 * crosses the border in ways of its own, which are bytes, their end, and the loss of a peer. The
 * provider has sockets within a process as well, over which {@link LibfabricConformanceTest} runs
 * the others. Without the chapter on Reactive Streams, which opens hundreds of engines, and is
 * about what an engine does itself.
 */
@Chapters(
    value = {"Visibility", "LostPeer", "Revocation"},
    unlessAll = true)
@ExtendWith(LibfabricTwoProcessesConformanceTest.WithoutReactiveStreams.class)
class LibfabricTwoProcessesConformanceTest extends TransferConformance {

  private static final TwoProcesses BOTH = new TwoProcesses(Tcp.class);

  static final class Tcp implements Supplier<Backend> {
    @Override
    public Backend get() {
      return LibfabricBackend.builder().provider("tcp").build();
    }
  }

  static final class WithoutReactiveStreams implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return context.getRequiredTestClass().getSimpleName().equals("ReactiveStreams")
          ? ConditionEvaluationResult.disabled("it is about what an engine does itself")
          : ConditionEvaluationResult.enabled("about what crosses the border");
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
    Profile one = Profile.defaults().skipIfUnavailable();
    return Boolean.getBoolean(Chapters.ALL) ? one.withNicCounts(1, 2) : one.withNicCounts(2);
  }

  @Override
  protected SegmentAllocator memory(Arena arena) {
    return BOTH.memory();
  }
}
