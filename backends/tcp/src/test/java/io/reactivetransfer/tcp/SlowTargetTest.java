package io.reactivetransfer.tcp;

import static io.reactivetransfer.tcp.Node.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Imm;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.tcp.faults.Cable;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/** One NIC that writes to a peer that takes little, and to another one. */
class SlowTargetTest {

  private static final Imm IMM = Imm.of(1);
  private static final int SLOW_BYTES_PER_SECOND = 1_000_000;

  private final EngineOptions options =
      EngineOptions.builder().nics(1).livenessDeadline(LONG).closeTimeout(LONG).build();
  private final CabledBackend backend = CabledBackend.over(new TcpBackend());
  private final Node slow = Node.open(backend, options);
  private final Node fast = Node.open(backend, options);
  private final Node origin = Node.open(backend, options);

  @AfterEach
  void close() {
    origin.close();
    slow.close();
    fast.close();
  }

  private Cable toSlow() {
    return backend.cables(origin.engine.id(), slow.engine.id()).getFirst();
  }

  private Flux<WriteImm> writes(Node to, int bytes) {
    RemoteRegion target = origin.remote(to);
    return Flux.just(origin.write(target, 0, bytes, IMM)).repeat();
  }

  @Test
  void aSlowPeerStallsNoOther() {
    origin.reaches(slow, IMM);
    origin.reaches(fast, IMM);
    toSlow().throttle(SLOW_BYTES_PER_SECOND);
    AtomicLong slowly = new AtomicLong();
    Disposable stream =
        origin
            .engine
            .submit(writes(slow, Node.BYTES))
            .subscribe(_ -> slowly.incrementAndGet(), _ -> {});
    Awaitility.await().atMost(LONG).until(() -> origin.engine.stats().writesInFlight() > 0);

    long written = origin.engine.submit(writes(fast, Node.BYTES).take(100)).count().block(LONG);

    assertThat(written).isEqualTo(100);
    assertThat(slowly.get()).as("writes to the slow one meanwhile").isLessThan(50);
    stream.dispose();
    toSlow().mend();
  }
}
