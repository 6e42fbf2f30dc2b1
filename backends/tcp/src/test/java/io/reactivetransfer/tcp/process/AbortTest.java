package io.reactivetransfer.tcp.process;

import static io.reactivetransfer.tcp.process.Local.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.tck.process.EngineProcess;
import io.reactivetransfer.tck.process.Waiting;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** What an origin gives up, its target need not wait for. */
class AbortTest {

  private static final int BYTES = 1 << 20;

  private static Local local;
  private static EngineProcess child;

  @BeforeAll
  static void open() {
    child = TcpProgram.start();
    local = Local.open(BYTES);
  }

  /** What could not be opened is not there. */
  @AfterAll
  static void close() {
    if (child != null) {
      child.close();
    }
    if (local != null) {
      local.close();
    }
  }

  private static Flux<WriteImm> writes(RemoteRegion target, Imm imm) {
    return Flux.just(WriteImm.of(local.region.whole(), target.whole(), imm)).repeat();
  }

  @Test
  void aStreamThatIsCancelledHalfWayFailsTheClaimAtItsTarget() {
    Imm imm = Imm.of(7);
    RemoteRegion target = local.remote(child.memory("m", BYTES));
    CompletableFuture<String> claim = child.ask("count", imm.value(), 1_000_000);

    local
        .engine
        .submit(writes(target, imm))
        .index()
        .takeUntil(done -> done.getT1() == 20)
        .blockLast(LONG);

    assertThat(Waiting.failure(claim, LONG))
        .hasMessageStartingWith("TransferFailedException: ")
        .hasMessageContaining("given up by its origin " + local.engine.id().toShortString())
        .hasMessageContaining("its stream was cancelled")
        .hasMessageMatching("(?s).*[0-9]+ of 1000000.*");
  }

  @Test
  void aWriteThatFailsFailsTheClaimAtItsTargetWithTheCause() {
    Imm imm = Imm.of(8);
    RemoteRegion target = local.remote(child.memory("m", BYTES));
    RemoteRegion revoked = local.remote(child.memory("n", BYTES));
    child.call("revoke", "n");
    CompletableFuture<String> claim = child.ask("count", imm.value(), 21);

    local.engine.submit(writes(target, imm).take(20)).blockLast(LONG);
    CompletableFuture<Long> failing =
        local.engine.submit(writes(revoked, imm).take(1)).count().toFuture();

    assertThat(Waiting.failure(failing, LONG)).isInstanceOf(TransferFailedException.class);
    assertThat(Waiting.failure(claim, LONG))
        .hasMessageStartingWith("TransferFailedException: ")
        .hasMessageContaining("given up by its origin " + local.engine.id().toShortString())
        .hasMessageContaining("revoked")
        .hasMessageContaining("20 of 21");
  }
}
