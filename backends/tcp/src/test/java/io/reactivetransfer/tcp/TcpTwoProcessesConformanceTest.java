package io.reactivetransfer.tcp;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.tck.ForwardingBackend;
import io.reactivetransfer.tck.TransferConformance;
import io.reactivetransfer.tck.process.TwoProcesses;
import java.lang.foreign.Arena;
import java.lang.foreign.SegmentAllocator;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;

/**
 * What crosses the border between two processes, with event loops on both sides. The engines, and
 * so their sessions, are in one of them: NICs in the other can prove none, so nobody asks for
 * proofs here.
 */
@Chapters({"Visibility", "Arrival", "LostPeer", "Abort", "Revocation", "Counting", "Message"})
class TcpTwoProcessesConformanceTest extends TransferConformance {

  private static final TwoProcesses BOTH = new TwoProcesses(Tcp.class);

  static final class Tcp implements Supplier<Backend> {
    @Override
    public Backend get() {
      return new ForwardingBackend(new TcpBackend(), (nic, _) -> nic) {
        /** On a loop of its own, of which the NICs know nothing. */
        @Override
        public CompletionStage<ControlChannel> openControl(ControlContext given) {
          return super.openControl(
              new ControlContext(
                  given.identity(),
                  given.backend(),
                  given.doorbell(),
                  null,
                  given.maxMessageBytes(),
                  given.connectTimeout()));
        }
      };
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
  protected SegmentAllocator memory(Arena arena) {
    return BOTH.memory();
  }
}
