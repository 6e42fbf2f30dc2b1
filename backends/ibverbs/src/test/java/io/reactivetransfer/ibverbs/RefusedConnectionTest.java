package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.FailingVerbs;
import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A NIC that cannot connect says so, and the other one waits no longer. */
@Timeout(30)
class RefusedConnectionTest {

  private static final int LENGTH = 100;

  private final FakeVerbs fake = new FakeVerbs(2);

  @Test
  void isToldToThePeer() {
    FailingVerbs failing = new FailingVerbs(fake, 0);
    TwoNics nics = FakeNics.open(fake, failing.calls());
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH));
      LocalMemory target = nics.openToOrigin(arena.allocate(LENGTH));
      Operation op = new Operation().between(source, nics.named(target, LENGTH));
      assertThat(nics.origin().post(op.range(0, 0, LENGTH).withoutImm()).isTaken()).isFalse();
      while (fake.made() == 0) {
        Thread.onSpinWait(); // the origin's queue pair is made by a thread of its own
      }
      failing.always("ibv_create_qp");
      nics.until("a loss at the origin", () -> nics.atOrigin().count("lost") > 0);
      assertThat(nics.atOrigin().texts().getFirst())
          .startsWith("the peer could not connect: ibv_create_qp failed");
      nics.close();
    }
    assertThat(fake.mistakes()).isEmpty();
  }
}
