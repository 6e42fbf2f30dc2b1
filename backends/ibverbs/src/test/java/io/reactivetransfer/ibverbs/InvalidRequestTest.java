package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A write that the target calls an invalid request may have arrived all the same. */
@Timeout(30)
class InvalidRequestTest {

  private static final int LENGTH = 1_000;

  private final FakeVerbs fake = new FakeVerbs(2);

  @Test
  void isInDoubtWithAllBehindItAndNothingIsPostedAgain() {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH));
      RemoteMemory target = nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH);
      nics.write(source, target, 1, i -> 0, 100, false);

      fake.mixUpNext();
      Operation op = new Operation().between(source, target).range(0, 0, 100).withImm(5);
      for (long token = 11; token <= 13; token++) {
        assertThat(nics.origin().post(op.token(token)).isTaken()).isTrue();
      }
      nics.origin().flush();
      nics.until("reports of all", () -> nics.atOrigin().count("failed ") == 3);
      assertThat(nics.atOrigin().reports())
          .containsSubsequence("lost 2", "failed 11", "failed 12")
          .contains("failed 13");
      assertThat(nics.atOrigin().texts()).anySatisfy(text -> assertThat(text).contains("invalid"));

      nics.until("the next connection", () -> nics.origin().post(op.token(14)).isTaken());
      nics.origin().flush();
      nics.until("a write over it", () -> nics.atOrigin().has("written 14"));
      nics.until("its arrival", () -> nics.atTarget().count("imm 5") >= 2);
      nics.disconnect();
      assertThat(nics.atTarget().count("imm 5")).as("of the first one, and the last").isEqualTo(2);
      nics.close();
    }
    assertThat(fake.mistakes()).isEmpty();
  }
}
