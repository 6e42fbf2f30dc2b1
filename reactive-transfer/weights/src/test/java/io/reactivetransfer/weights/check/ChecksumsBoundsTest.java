package io.reactivetransfer.weights.check;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.HostMemory;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.weights.version.FilledBuffer;
import io.reactivetransfer.weights.version.UpdateNumber;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.scheduler.Schedulers;

/** What a rank keeps of sums has room for the update that it looks at, or that update fails. */
@Timeout(120)
class ChecksumsBoundsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(40);

  private static final UpdateNumber UPDATE = new UpdateNumber(1, 1, 3);

  /** A rank that keeps ten sums. */
  private static final int MOST = 10;

  private final TransferEngine engine = engine();
  private final TransferEngine trainer = engine();
  private final Checksums checksums =
      Checksums.open(engine, PATIENCE, Schedulers.parallel(), Schedulers.boundedElastic(), MOST);

  private static TransferEngine engine() {
    return TransferEngineBuilder.create().backend("loopback").open().block(PATIENCE);
  }

  @AfterEach
  void close() {
    trainer.close().then(engine.close()).block(PATIENCE);
  }

  /** Of two writes, each with sums of one byte that is 0. */
  private CompletableFuture<Void> look() {
    MemorySegment memory = Arena.ofAuto().allocate(64);
    return checksums
        .apply(new FilledBuffer("one", UPDATE, 1, 2, List.of(new HostMemory(memory))))
        .toFuture();
  }

  private void say(UpdateNumber update, String name, int sums) {
    int zero = Sums.of(Arena.ofAuto().allocate(1), 0, 1, 1, 1);
    SumMessage.Sum sum = new SumMessage.Sum(0, 0, 1, 1, 1, zero);
    SumMessage.OfTensor tensor = new SumMessage.OfTensor("w", Collections.nCopies(sums, sum));
    SumMessage message = new SumMessage(update, name, 1, sums, 0, List.of(tensor));
    trainer
        .send(trainer.peer(engine.address()), TrainerSums.CHANNEL, SumCodec.encode(message))
        .block(PATIENCE);
  }

  @Test
  void whatIsSaidOfOthersTakesNothingFromTheOneThatIsWaitedFor() throws Exception {
    CompletableFuture<Void> look = look();
    say(UPDATE, "a", MOST / 2);
    for (int other = 4; other < 24; other++) {
      say(new UpdateNumber(1, 1, other), "a", MOST - 1);
    }
    say(UPDATE, "b", MOST / 2);
    look.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void moreThanThereIsRoomForFailsAtOnceAndSaysWhy() {
    CompletableFuture<Void> look = look();
    say(UPDATE, "a", MOST / 2);
    say(UPDATE, "b", MOST / 2 + 1);
    assertThatThrownBy(() -> look.get(PATIENCE.toSeconds() / 2, TimeUnit.SECONDS))
        .hasMessageContaining("at rank one: expected at most 10 sums of all trainers, ")
        .hasMessageContaining("got more; ");
  }

  @Test
  void moreThanThereIsRoomForFailsWhenItIsLookedAtAfterwards() throws Exception {
    say(UPDATE, "a", MOST + 1);
    say(UPDATE, "b", 1);
    UpdateNumber before = new UpdateNumber(1, 1, 2);
    CompletableFuture<Void> first =
        checksums
            .apply(
                new FilledBuffer(
                    "one", before, 1, 1, List.of(new HostMemory(Arena.ofAuto().allocate(64)))))
            .toFuture();
    say(before, "a", 1);
    first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS); // all before it is heard
    CompletableFuture<Void> look = look();
    assertThatThrownBy(() -> look.get(PATIENCE.toSeconds() / 2, TimeUnit.SECONDS))
        .hasMessageContaining("expected at most 10 sums of all trainers, ");
  }
}
