package io.reactivetransfer.tck.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Nic;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.tck.ForwardingBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

// A usual build has the rules about other processes over tcp.
@Tag("merge")
@Timeout(240)
class TwoProcessesTest {

  static final class Loopback implements Supplier<Backend> {
    @Override
    public Backend get() {
      return new LoopbackBackend();
    }
  }

  /** Whose NICs throw when they are to be opened. */
  static final class Throwing implements Supplier<Backend> {
    @Override
    public Backend get() {
      return new ForwardingBackend(new LoopbackBackend(), (domain, context) -> domain) {
        @Override
        public CompletionStage<Domain> open(Nic nic, OpenContext context) {
          throw new IllegalStateException("thrown at once");
        }
      };
    }
  }

  private static Domain open(TwoProcesses both, long engine) throws Exception {
    OpenContext context = OpenContext.builder(new EngineId(7, engine), 0, () -> {}).build();
    return both.open(both.nics(1).getFirst(), context)
        .toCompletableFuture()
        .get(150, TimeUnit.SECONDS);
  }

  private static Set<ProcessHandle> children() {
    return ProcessHandle.current().children().collect(Collectors.toSet());
  }

  /** As many as there may be, and then one more. */
  @Test
  void nicsOfAProcessThatIsGoneTakeNoPlace() throws Exception {
    Set<ProcessHandle> before = children();
    try (TwoProcesses both = new TwoProcesses(Loopback.class)) {
      assertThat(both.newLoop()).as("a loop, as of NICs in this process").isNull();
      List<Domain> nics = new ArrayList<>();
      for (int i = 0; i < SharedMemory.MAX_NICS; i++) {
        nics.add(open(both, i));
      }
      for (ProcessHandle child : children()) {
        if (!before.contains(child)) {
          child.destroyForcibly();
          child.onExit().get(40, TimeUnit.SECONDS);
        }
      }
      for (Domain nic : nics) {
        assertThatExceptionOfType(BackendException.class)
            .isThrownBy(nic::close)
            .withMessageContaining("the process of the NICs is gone");
      }
      open(both, SharedMemory.MAX_NICS).close();
    }
  }

  @Test
  void whatABackendThrowsAtOnceIsTold() {
    try (TwoProcesses both = new TwoProcesses(Throwing.class)) {
      assertThat(both.newLoop()).isNull();
      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(() -> open(both, 1))
          .withMessageContaining("thrown at once");
    }
  }
}
