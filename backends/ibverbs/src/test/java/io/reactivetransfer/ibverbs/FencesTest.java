package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.ibverbs.ffi.EndingVerbs;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A fence says that nothing comes any more of a NIC. So it waits for all by which that NIC may have
 * written, also where whoever gives it up knows nothing any more of those.
 */
@Timeout(30)
class FencesTest {

  private static final int LENGTH = 100;

  /** None of these is about a peer that does not answer in time. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final EngineId ORIGIN = new EngineId(1, 1);
  private static final EngineId ANOTHER = new EngineId(3, 3);

  private final EndingVerbs fake = new EndingVerbs();
  private final TwoNics nics = FakeNics.open(fake, fake, PATIENCE);

  /** Of the target, with a NIC that it comes to know now. */
  private CompletableFuture<Void> fenceOfANew(EngineId engine, byte[] address) {
    RemotePeer peer = nics.target().resolve(engine, 0, address);
    return nics.target().disconnect(peer, "the test gives it up").toCompletableFuture();
  }

  /** The origin has written, and both have released each other, but its queue pairs stay. */
  private void releaseOneThatStays(Arena arena) {
    nics.write(
        nics.source(arena.allocate(LENGTH)),
        nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH),
        1,
        each -> 0,
        LENGTH,
        true);
    fake.keepThoseThatThereAre();
    nics.release();
  }

  private void expectTheEndOf(CompletableFuture<Void> fence) {
    assertThat(fence).as("while a queue pair is there").isNotDone();
    assertThat(fake.openToWrites()).isEqualTo(1);
    fake.letGo();
    nics.until("the fence to end", fence::isDone);
    assertThat(fake.openToWrites()).as("queue pairs by which it may write").isZero();
    assertThat(nics.close()).isTrue();
    assertThat(fake.mistakes()).isEmpty();
  }

  /** Its session was lost, and another one was begun: the engine has resolved it anew. */
  @Test
  void waitForWhatStoodForTheSameNicBefore() {
    try (Arena arena = Arena.ofShared()) {
      releaseOneThatStays(arena);
      expectTheEndOf(fenceOfANew(ORIGIN, nics.origin().address()));
    }
  }

  /** Of the connection that was there before, which cannot be destroyed while the new one can. */
  @Test
  void waitForAConnectionThatThePeerHasBegunAnew() {
    try (Arena arena = Arena.ofShared()) {
      Operation back =
          new Operation()
              .between(
                  nics.sourceAtTarget(arena.allocate(LENGTH)),
                  nics.openToTarget(arena.allocate(LENGTH)))
              .range(0, 0, LENGTH)
              .withoutImm();
      nics.until("a connection", () -> nics.post(false, back.token(0)));
      nics.until("the first write", () -> nics.atTarget().reportsOf(0) == 1);
      fake.keepThoseThatThereAre();
      nics.giveUp(false);
      nics.until("another connection", () -> nics.post(false, back.token(1)));
      nics.until("the next write", () -> nics.atTarget().reportsOf(1) == 1);
      nics.giveUp(false);
      CompletableFuture<Void> fence = nics.giveUp().toCompletableFuture();
      nics.until("the later queue pairs to be gone", () -> fake.queuePairs() == 2);
      nics.turn();
      expectTheEndOf(fence);
    }
  }

  /** Else whoever ends badly would keep others waiting. */
  @Test
  void waitForNoOtherNicAndNoOtherEngine() {
    try (Arena arena = Arena.ofShared()) {
      releaseOneThatStays(arena);
      assertThat(fenceOfANew(ORIGIN, nics.target().address())).as("of another NIC").isDone();
      assertThat(fenceOfANew(ANOTHER, nics.origin().address())).as("of another engine").isDone();
      fake.letGo();
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.mistakes()).isEmpty();
  }
}
