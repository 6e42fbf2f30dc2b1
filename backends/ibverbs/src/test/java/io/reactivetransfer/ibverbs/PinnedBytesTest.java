package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a kernel counts against the limit of locked memory: each registration by itself, though all
 * are of the same pages. The formula is in {@code docs/backends/ibverbs.md}.
 */
@Timeout(30)
class PinnedBytesTest {

  private static final long LENGTH = 1 << 20;

  /** Adds up what is registered, and keeps the most that it ever was. */
  private static final class Counting extends FakeVerbs {
    private final Map<Long, Long> lengths = new HashMap<>();
    private long most;

    Counting() {
      super(2);
    }

    synchronized long pinned() {
      return lengths.values().stream().mapToLong(Long::longValue).sum();
    }

    synchronized long most() {
      return most;
    }

    @Override
    public synchronized long ibv_reg_mr_iova2(
        long pd, long address, long length, long iova, int access) {
      long mr = super.ibv_reg_mr_iova2(pd, address, length, iova, access);
      lengths.put(mr, length);
      most = Math.max(most, pinned());
      return mr;
    }

    @Override
    public synchronized int ibv_dereg_mr(long mr) {
      int result = super.ibv_dereg_mr(mr);
      if (result == 0) {
        lengths.remove(mr);
      }
      return result;
    }
  }

  @Test
  void memoryForOthersIsPinnedTwiceAndOnceMoreWhileItIsRevoked() {
    Counting verbs = new Counting();
    TwoNics nics = FakeNics.open(verbs, verbs);
    try (Arena arena = Arena.ofShared()) {
      long own = verbs.pinned();
      LocalMemory source = nics.source(arena.allocate(LENGTH));
      assertThat(verbs.pinned() - own).as("for own writes").isEqualTo(LENGTH);

      LocalMemory target = nics.openToOrigin(arena.allocate(LENGTH));
      assertThat(verbs.pinned() - own).as("and for others' writes").isEqualTo(3 * LENGTH);

      LocalMemory renamed = TwoNics.join(nics.target().revoke(target));
      assertThat(verbs.most() - own).as("during a revocation").isEqualTo(4 * LENGTH);
      assertThat(verbs.pinned() - own).as("after it").isEqualTo(3 * LENGTH);

      TwoNics.join(nics.target().deregister(renamed));
      TwoNics.join(nics.origin().deregister(source));
      assertThat(verbs.pinned()).as("when all is deregistered").isEqualTo(own);
      assertThat(nics.close()).isTrue();
    }
    assertThat(verbs.pinned()).isZero();
    assertThat(verbs.mistakes()).isEmpty();
  }
}
