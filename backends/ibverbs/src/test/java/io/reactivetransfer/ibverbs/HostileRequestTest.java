package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.ibverbs.ffi.Ib;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A member of the cluster that says it has begun anew, or has ended, again and again. */
@Timeout(60)
class HostileRequestTest {

  private static final int REQUESTS = 2_000;
  private static final int MOST_OPEN = 5;
  private static final long HALF_SECOND_NANOS = 500_000_000;

  private final FakeVerbs fake = new FakeVerbs(2);

  private long serial = 1_000;

  private void flood(TwoNics nics, int requests) {
    for (int i = 0; i < requests; i++) {
      nics.hear(SetUp.request(++serial, new SetUp.QueuePair(4_711, 1, Ib.IBV_MTU_4096)));
    }
  }

  /** For half a second, and longer where a busy machine has not made two by then. */
  private static boolean goesOn(long begin, int made) {
    long nanos = System.nanoTime() - begin;
    return nanos < HALF_SECOND_NANOS || made < 2 && nanos < 40 * HALF_SECOND_NANOS;
  }

  /** Rounded up. */
  private static int halfSecondsSince(long begin) {
    return 1 + (int) ((System.nanoTime() - begin) / HALF_SECOND_NANOS);
  }

  private static Operation writeOfAByte(TwoNics nics, Arena arena) {
    return new Operation()
        .between(
            nics.source(arena.allocate(1)), nics.named(nics.openToOrigin(arena.allocate(1)), 1))
        .range(0, 0, 1)
        .withoutImm();
  }

  @Test
  void getsFewQueuePairsAndNobodyWaitsForIt() {
    TwoNics nics = FakeNics.open(fake, fake);
    for (int round = 0; round < REQUESTS / 100; round++) {
      flood(nics, 100);
      nics.turn();
      assertThat(fake.queuePairs())
          .as("queue pairs: %s", fake.open())
          .isLessThanOrEqualTo(MOST_OPEN);
    }
    CompletableFuture<Void> fence = nics.giveUp().toCompletableFuture();
    nics.until(
        "the fence to end while it goes on",
        () -> {
          flood(nics, 1);
          return fence.isDone();
        });
    assertThat(nics.close()).isTrue();
    assertThat(fake.open()).isEmpty();
    assertThat(fake.mistakes()).isEmpty();
  }

  /** By the one that the origin writes with, its target writes nothing. */
  @Test
  void mayWriteByTheQueuePairOnlyThatIsForThat() {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(1));
      nics.write(
          source, nics.named(nics.openToOrigin(arena.allocate(1)), 1), 1, each -> 0, 1, true);
      assertThat(fake.queuePairs()).isEqualTo(2);
      assertThat(fake.openToWrites()).isEqualTo(1);
      assertThat(nics.close()).isTrue();
    }
  }

  @Test
  void endsNoConnectionByAMessageThatIsTooLong() {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      Operation op = writeOfAByte(nics, arena);
      nics.until("a connection", () -> nics.post(true, op.token(0)));
      ByteBuffer tooLong = ByteBuffer.allocate(SetUp.HEAD_BYTES + 1);
      nics.hear(tooLong.put(SetUp.disconnect(1)).rewind());
      assertThat(nics.post(true, op.token(1))).as("a write over the same connection").isTrue();
      nics.until("both writes", () -> nics.atOrigin().count("written") == 2);
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.made()).isEqualTo(2);
  }

  /** It answers each request, and ends the connection at once. */
  @Test
  void getsNoMoreConnectionsByEndingThemThanAFewInASecond() {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      Operation op = writeOfAByte(nics, arena);
      nics.until("a connection", () -> nics.post(true, op.token(0)));
      int made = fake.made();
      long begin = System.nanoTime();
      for (int ended = 1; goesOn(begin, fake.made() - made); ) {
        nics.hear(SetUp.disconnect(ended));
        if (nics.post(true, op.token(ended))) {
          ended++;
        }
        nics.turn();
      }
      assertThat(fake.made() - made)
          .as("queue pairs, in some half seconds")
          .isBetween(2, 14 * halfSecondsSince(begin));
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.mistakes()).isEmpty();
  }

  /** It answers each request by saying that it does not answer it any more. */
  @Test
  void isNotAskedAgainAndAgainWithoutAPause() {
    TwoNics nics = FakeNics.open(fake, fake, Duration.ofSeconds(20));
    try (Arena arena = Arena.ofShared()) {
      Operation op = writeOfAByte(nics, arena);
      assertThat(nics.post(true, op.token(0))).as("nothing is connected yet").isFalse();
      long begin = System.nanoTime();
      while (goesOn(begin, fake.made())) {
        nics.poll(true);
        byte[] request = nics.atOrigin().said().poll();
        if (request != null) {
          nics.hear(SetUp.disconnect(ByteBuffer.wrap(request).getLong(1)));
        }
      }
      assertThat(fake.made())
          .as("queue pairs, in some half seconds")
          .isBetween(2, 8 * halfSecondsSince(begin));
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.mistakes()).isEmpty();
  }

  /** Those that the origin makes are numbered from 1 on, and so easily guessed. */
  @Test
  void costsNoMoreBySayingThatItHasEndedWhatItWasAskedFor() {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      Operation op = writeOfAByte(nics, arena);
      assertThat(nics.post(true, op)).as("nothing is connected yet").isFalse();
      for (int ended = 1; ended <= REQUESTS; ended++) {
        nics.hear(SetUp.disconnect(ended));
        assertThat(fake.queuePairs())
            .as("queue pairs: %s", fake.open())
            .isLessThanOrEqualTo(MOST_OPEN);
      }
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.open()).isEmpty();
    assertThat(fake.made()).isLessThanOrEqualTo(MOST_OPEN);
    assertThat(fake.mistakes()).isEmpty();
  }
}
