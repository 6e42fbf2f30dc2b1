package io.reactivetransfer.tcp.process;

import static io.reactivetransfer.tcp.process.Local.FOUND;
import static io.reactivetransfer.tcp.process.Local.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.tck.process.EngineProcess;
import io.reactivetransfer.tck.process.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/**
 * What tcp promises beyond chapter 25 of the kit: their sockets stay open, and their system takes
 * bytes for them, yet no write to processes that stand still is done, and none that failed comes
 * later.
 */
// A usual build has processes that stand still by the rules about those.
@Tag("merge")
class StoppedPeerTest {

  private static final int BYTES = 1 << 20;
  private static final Duration A_WHILE = Duration.ofMillis(400);

  private int nextImm = 1_000;
  private final Local local = Local.open(BYTES, Local.options());
  private final EngineProcess child = TcpProgram.start();

  @AfterEach
  void close() {
    child.close();
    local.close();
  }

  private WriteImm write(RemoteRegion target) {
    return WriteImm.of(local.region.whole(), target.whole(), nextImm());
  }

  private WriteImm smallWrite(RemoteRegion target) {
    return WriteImm.of(local.region.slice(0, 64), target.slice(0, 64), nextImm());
  }

  /** Each time another one: those of what failed are in doubt. */
  private Imm nextImm() {
    return Imm.of(nextImm++);
  }

  private CompletableFuture<WriteImm> submit(WriteImm write) {
    return local.engine.submit(write).toFuture();
  }

  /** More than the sockets hold. */
  private CompletableFuture<Long> submitMany(RemoteRegion target) {
    return local.engine.submit(Flux.just(write(target)).repeat(99)).count().toFuture();
  }

  /** Has a connection, on every NIC. */
  private RemoteRegion connectedMemory() {
    RemoteRegion target = local.remote(child.memory("m", BYTES));
    local.write(write(target));
    return target;
  }

  private void assertNamesChild(Throwable error) {
    assertThat(error)
        .isInstanceOfSatisfying(
            PeerUnreachableException.class, e -> assertThat(e.peer()).isEqualTo(child.id()))
        .hasMessageContaining(child.id().toShortString());
  }

  @Test
  void noWriteToAStoppedTargetIsDoneAndItIsFoundAndComesBack() {
    RemoteRegion target = connectedMemory();
    EngineId id = child.id();
    List<PeerState> states = local.watch(child);
    local.await(child, PeerState.Alive.class);

    child.pause();
    CompletableFuture<WriteImm> small = submit(smallWrite(target));
    CompletableFuture<Long> many = submitMany(target);

    Waiting.silence(small, A_WHILE);
    assertThat(many).isNotDone();
    assertNamesChild(Waiting.failure(small, FOUND));
    assertNamesChild(Waiting.failure(many, FOUND));
    local.region.quiesced().block(LONG);
    local.await(child, PeerState.Lost.class);

    child.resume();
    local.await(child, PeerState.Alive.class);
    assertThat(child.id()).isEqualTo(id);
    local.memory.fill((byte) 2);
    local.write(write(target));
    assertThat(child.call("values", "m")).isEqualTo("2");
    local.write(smallWrite(target));
    assertThat(child.call("values", "m")).as("what had failed came later").isEqualTo("2");
    assertThat(states)
        .extracting(state -> state.getClass().getSimpleName())
        .filteredOn(name -> !name.equals("Unknown")) // it may be over before anyone looked
        .startsWith("Alive", "Lost", "Alive");
  }
}
