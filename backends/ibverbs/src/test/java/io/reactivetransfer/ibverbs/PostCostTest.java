package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.ibverbs.ffi.IdleVerbs;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What the driver itself costs for a write, over a library that carries nothing: chains of four,
 * posted by one call each, and their completions. Nothing may be allocated. How long it takes is
 * printed and not asserted, because a test shares its processors with others.
 */
@Timeout(120)
class PostCostTest {

  private static final int CHAIN = 4;
  private static final int CHAINS = 50_000;
  private static final int ROUNDS = 3 * Integer.getInteger("reactivetransfer.rounds", 1);
  private static final int MEMORY = 1 << 16;

  /** Counts what is done. */
  private static final class Done implements CompletionSink {
    private long written;

    @Override
    public void written(long token) {
      written++;
    }

    @Override
    public void written(long token, int writes) {
      written += writes;
    }

    @Override
    public void failed(long token, int code, String text) {
      throw new AssertionError(text);
    }

    @Override
    public void immArrived(int imm, long bytes) {
      throw new AssertionError("an immediate has come to the origin");
    }

    @Override
    public void peerLost(EngineId peer, int code, String text) {
      throw new AssertionError(text);
    }

    @Override
    public void nicFailed(int code, String text) {
      throw new AssertionError(text);
    }
  }

  private final IdleVerbs verbs = new IdleVerbs(CHAIN);
  private final Done done = new Done();
  private final long[] postNanos = new long[ROUNDS];
  private final long[] allNanos = new long[ROUNDS];

  @ParameterizedTest
  @CsvSource({"4096, false", "4096, true", "64, true"})
  void allocatesNothing(int length, boolean withImm) {
    TwoNics nics = FakeNics.open(verbs, verbs);
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(MEMORY));
      LocalMemory target = nics.openToOrigin(arena.allocate(MEMORY));
      var named = nics.named(target, MEMORY);
      nics.write(source, named, 1, i -> 0, length, true); // which connects the two
      Operation op = new Operation().between(source, named).range(0, 0, length);
      Operation write = withImm ? op.withImm(7) : op.withoutImm();
      verbs.carryNothing(true);

      ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      long allocated = Long.MAX_VALUE;
      for (int round = 0; round < ROUNDS; round++) {
        long before = thread.getCurrentThreadAllocatedBytes();
        round(nics.origin(), write, round);
        allocated = thread.getCurrentThreadAllocatedBytes() - before;
      }

      assertThat(done.written).isEqualTo((long) ROUNDS * CHAINS * CHAIN);
      // What the driver asks its device every 10 ms may cost some bytes, a write may not.
      assertThat(allocated).as("bytes for %,d writes", CHAINS * CHAIN).isLessThan(CHAINS);
      System.out.printf(
          "%,d bytes%s: %.1f ns a write to post, %.1f ns with its completion, %,d B for %,d"
              + " writes%n",
          length,
          withImm ? " with an immediate" : "",
          median(postNanos),
          median(allNanos),
          allocated,
          CHAINS * CHAIN);
      verbs.carryNothing(false);
      nics.close();
    }
    assertThat(verbs.mistakes()).isEmpty();
  }

  private void round(Domain nic, Operation write, int round) {
    long begin = System.nanoTime();
    long posting = 0;
    for (int chain = 0; chain < CHAINS; chain++) {
      long start = System.nanoTime();
      for (int i = 0; i < CHAIN; i++) {
        assertTaken(nic.post(write.token((long) chain * CHAIN + i)).isTaken());
      }
      nic.flush();
      posting += System.nanoTime() - start;
      nic.poll(done);
    }
    postNanos[round] = posting;
    allNanos[round] = System.nanoTime() - begin;
  }

  private static void assertTaken(boolean taken) {
    if (!taken) {
      throw new AssertionError("a write was not taken over");
    }
  }

  private static double median(long[] nanos) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    return (double) sorted[sorted.length / 2] / ((long) CHAINS * CHAIN);
  }
}
