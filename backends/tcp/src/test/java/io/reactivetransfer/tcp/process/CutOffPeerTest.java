package io.reactivetransfer.tcp.process;

import static io.reactivetransfer.tcp.process.Local.FOUND;
import static io.reactivetransfer.tcp.process.Local.LIVENESS;
import static io.reactivetransfer.tcp.process.Local.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.Imm;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.tck.process.EngineProcess;
import io.reactivetransfer.tck.process.FreePorts;
import io.reactivetransfer.tck.process.Waiting;
import io.reactivetransfer.tcp.faults.Cable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** A process of which one NIC is cut off, and its control channel is not. */
// A usual build has processes that are cut off by the rules about those.
@Tag("merge")
class CutOffPeerTest {

  private static final String HOST = "127.0.0.1";
  private static final String BEHIND_CABLE = "127.0.0.2";
  private static final int BYTES = 1 << 20;
  private static final Imm IMM = Imm.of(7);

  private final int port = FreePorts.inARow(2);
  private final EngineProcess child = TcpProgram.start(BEHIND_CABLE, port, LIVENESS);
  private final Cable first = Cable.lay(BEHIND_CABLE, HOST, port);
  private final Cable second = Cable.lay(BEHIND_CABLE, HOST, port + 1);
  private final Local local = Local.open(BYTES, Local.options());
  private RemoteRegion target;

  @BeforeEach
  void connect() {
    target = local.remote(child.memory("m", BYTES));
    local.write(write());
  }

  @AfterEach
  void close() {
    local.close();
    child.close();
    first.close();
    second.close();
  }

  private WriteImm write() {
    return WriteImm.of(local.region.whole(), target.whole(), IMM);
  }

  private CompletableFuture<Long> writeOnAndOn(Duration deadline) {
    return local.engine.submit(Flux.just(write()).repeat(), deadline).count().toFuture();
  }

  /** Under another immediate: what was under way left the first one in doubt. */
  private void assertAllWell() {
    local.await(child, PeerState.Alive.class);
    local.memory.fill((byte) 6);
    local.write(WriteImm.of(local.region.whole(), target.whole(), Imm.of(8)));
    assertThat(child.call("values", "m")).isEqualTo("6");
  }

  @Test
  void aNicThatIsCutOffEndsItsWritesSoonAfterTheirDeadline() {
    Duration deadline = LIVENESS.multipliedBy(3); // the other process is to count before it is over
    CompletableFuture<Long> stream = writeOnAndOn(deadline);
    child.call("count", IMM.value(), 4);

    second.stall();

    assertThat(Waiting.failure(stream, deadline.plus(FOUND)))
        .isInstanceOfAny(DeadlineExceededException.class, PeerUnreachableException.class);
    local.region.quiesced().block(LONG);
    second.mend();
    assertAllWell();
  }
}
