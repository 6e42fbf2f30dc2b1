package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.CutPosts;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A post that fails has posted the beginning of its chain all the same, or it may have. */
@Timeout(30)
class CutPostTest {

  private static final int LENGTH = 1_000;
  private static final int CHAIN = 3;
  private static final int FIRST = 10;
  private static final int DEPTH = 64;

  private final CutPosts fake = new CutPosts(2);

  /** What was certainly not posted is refused; what may have been is in doubt. */
  private static List<String> reports(int taken, boolean tellsWhich) {
    List<String> reports = new ArrayList<>();
    for (int i = 0; i < CHAIN; i++) {
      boolean isInDoubt = i < taken || !tellsWhich;
      reports.add((isInDoubt ? "failed " : "refused ") + (FIRST + i));
    }
    return reports;
  }

  @ParameterizedTest(name = "{0} posted of 3, told which: {1}")
  @CsvSource({"0, true", "1, true", "2, true", "0, false", "1, false", "2, false"})
  void eachWriteIsReportedOnceAndItsSlotIsFree(int taken, boolean tellsWhich) {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH));
      RemoteMemory target = nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH);
      nics.write(source, target, 1, i -> 0, 100, false);
      nics.atOrigin().reports().clear();

      fake.cutNext(taken, tellsWhich);
      Operation op = new Operation().between(source, target).range(0, 0, 100);
      for (int i = 0; i < CHAIN; i++) {
        Operation write = op.token(FIRST + i).withImm(FIRST + i);
        assertThat(nics.origin().post(write).isTaken()).isTrue();
      }
      nics.origin().flush();
      nics.until("reports of all", () -> nics.atOrigin().reports().size() > CHAIN);
      nics.disconnect();
      assertThat(nics.atOrigin().reports().getFirst()).isEqualTo("lost 2");
      assertThat(nics.atOrigin().reports().subList(1, CHAIN + 1))
          .containsExactlyInAnyOrderElementsOf(reports(taken, tellsWhich));
      assertThat(nics.atOrigin().texts())
          .allSatisfy(text -> assertThat(text).startsWith("ibv_post_send failed with "));
      assertThat(nics.atTarget().reports())
          .as("arrivals of what was posted")
          .isSubsetOf(List.of("imm 10", "imm 11", "imm 12").subList(0, taken))
          .doesNotHaveDuplicates();

      fillAndWrite(nics, op.withoutImm());
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.open()).isEmpty();
    assertThat(fake.mistakes()).isEmpty();
  }

  /** As many as the NIC is deep, so no slot has been lost. */
  private void fillAndWrite(TwoNics nics, Operation op) {
    nics.until("the next connection", () -> nics.origin().post(op.token(100)).isTaken());
    fake.hold(true);
    for (int i = 1; i < DEPTH; i++) {
      assertThat(nics.origin().post(op.token(100 + i)).isTaken()).as("write %s", i).isTrue();
    }
    assertThat(nics.origin().post(op.token(1_000))).isNotEqualTo(PostResult.TAKEN);
    nics.origin().flush();
    fake.hold(false);
    nics.until("reports of all", () -> nics.atOrigin().count("written 1") == DEPTH);
  }
}
