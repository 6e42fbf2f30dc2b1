package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.Imm;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Signal;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Chapter 10: what one arrival counts. */
abstract class CountingRules extends RuleGroup {

  private static final int PAGE = 4_096;

  CountingRules(TransferConformance kit) {
    super(kit);
  }

  @ParameterizedTest(name = "{0} NICs")
  @MethodSource("nicCounts")
  final void r10_1_aWriteCountsOnceHoweverManyNicsCarryIt(int nics) {
    LongStream around =
        LongStream.of(1, nics, 2L * nics)
            .flatMap(pages -> LongStream.of(pages * PAGE - 1, pages * PAGE, pages * PAGE + 1));
    Duo fine = Duo.open(stage(), nics);
    countWrites(fine, LongStream.concat(LongStream.of(0, 1, 2, 3), around).toArray());
    long min = 10_000;
    Duo coarse = Duo.open(stage(), nics, new Valve(), options -> options.minPieceBytes(min));
    countWrites(coarse, min - 1, min, min + 1, 2 * min - 1, 2 * min, 2 * min + 1, 9 * min);
    expectNothingElse(fine.target(), coarse.target());
  }

  @ParameterizedTest(name = "{0} NICs")
  @MethodSource("nicCounts")
  final void r10_2_aWriteCountsOnceHoweverOftenItIsCut(int nics) {
    long max = 64;
    Duo duo = Duo.open(stage(), nics, new Valve().limits(max, 1_024));
    countWrites(
        duo,
        max - 1,
        max,
        max + 1,
        2 * max,
        7 * max,
        8 * max - 1,
        8 * max,
        8 * max + 1,
        9 * max,
        16 * max + 1,
        100 * max + 7);
    expectNothingElse(duo.target());
  }

  private void countWrites(Duo duo, long... lengths) {
    for (long length : lengths) {
      Imm imm = stage().imm();
      Probe<Void> claim = stage().claim(duo.target(), imm, 1);
      Transfer write = stage().done(duo.origin(), duo.write(512, length, imm));
      assertThat(write.arrivals()).as("arrivals of a write").isEqualTo(1);
      await("a write of " + length + " bytes", claim);
    }
  }

  @ParameterizedTest(name = "{0} NICs")
  @MethodSource("nicCounts")
  final void r10_3_everyPageCounts(int nics) {
    Duo duo = Duo.open(stage(), nics, new Valve().limits(64, 1_024));
    for (int pages : new int[] {1, 5, 17}) {
      for (int length : new int[] {60, 63, 200, 64 * 9}) {
        Imm imm = stage().imm();
        Probe<Void> claim = stage().claim(duo.target(), imm, pages);
        PageList list = PageList.range(0, pages);
        Transfer write =
            PagedWrite.of(length, duo.source(0, 60_000), list, duo.sink(0, 60_000), list, imm);
        stage().done(duo.origin(), write);
        assertThat(write.arrivals()).as("arrivals of %s pages", pages).isEqualTo(pages);
        await(pages + " pages of " + length + " bytes", claim);
      }
    }
    expectNothingElse(duo.target());
  }

  @ParameterizedTest(name = "{0} NICs")
  @MethodSource("nicCounts")
  final void r10_7_aPageCountsOnceHoweverManyRowsItHas(int nics) {
    List<TransferEngine> targets = new ArrayList<>();
    for (int maxRows : new int[] {1, 3, Integer.MAX_VALUE}) {
      Duo duo = Duo.open(stage(), nics, new Valve().limits(100, 1_024).rows(maxRows));
      boolean delivers = duo.origin().completionLevel() == CompletionLevel.DELIVERED;
      for (int rows : delivers ? new int[] {2, 8, 9, 50} : new int[] {2, 4}) {
        for (int length : new int[] {33, 150}) {
          Imm imm = stage().imm();
          Probe<Void> claim = stage().claim(duo.target(), imm, 3);
          Grid grid = Grid.of(duo, 3, rows, length);
          Transfer write = stage().done(duo.origin(), grid.write(imm));
          assertThat(write.arrivals()).as("arrivals of %s", grid).isEqualTo(3);
          await(grid.toString(), claim);
        }
      }
      targets.add(duo.target());
    }
    expectNothingElse(targets.toArray(TransferEngine[]::new));
  }

  @Test
  final void r10_4_aScatterCountsOnceForEachTarget() {
    Duo one = Duo.open(stage(), 2);
    Duo two = Duo.of(stage(), one.origin(), stage().open(2));
    Imm imm = stage().imm();
    Probe<Void> atOne = stage().claim(one.target(), imm, 1);
    Probe<Void> atTwo = stage().claim(two.target(), imm, 2);
    Scatter scatter = Scatter.of(imm, part(one, 0, 30_000), part(two, 0, 0), part(two, 500, 500));
    stage().done(one.origin(), scatter);
    assertThat(scatter.arrivals()).isEqualTo(3);
    await("a part of 30,000 bytes", atOne);
    await("parts of 0 and 500 bytes", atTwo);
    expectNothingElse(one.target(), two.target());
  }

  @Test
  final void r10_5_aSignalCountsOnceForEachMember() {
    TransferEngine origin = stage().open(2);
    List<TransferEngine> targets = List.of(stage().open(2), stage().open(2), stage().open(1));
    Imm imm = stage().imm();
    List<Probe<Void>> claims =
        targets.stream().map(target -> stage().claim(target, imm, 1)).toList();
    Signal signal =
        Signal.of(
            new PeerGroup(targets.stream().map(each -> origin.peer(each.address())).toList()), imm);
    stage().done(origin, signal);
    assertThat(signal.arrivals()).isEqualTo(3);
    claims.forEach(claim -> await("a member of the group", claim));
    expectNothingElse(targets.toArray(TransferEngine[]::new));
  }

  @Test
  final void r10_6_withoutAnImmediateNothingIsCounted() {
    Duo duo = Duo.open(stage(), 2);
    PageList pages = PageList.of(3, 1);
    List<Transfer> silent =
        List.of(
            duo.write(0, 30_000),
            Scatter.of(null, part(duo, 0, 10), part(duo, 64, 20)),
            PagedWrite.of(10, duo.source(0, 100), pages, duo.sink(0, 100), pages, null));
    for (Transfer transfer : silent) {
      assertThat(transfer.arrivals()).isZero();
      stage().done(duo.origin(), transfer);
    }
    Imm imm = stage().imm();
    Probe<Void> claim = stage().claim(duo.target(), imm, 1);
    stage().done(duo.origin(), duo.signal(imm));
    claim.awaitCompletion();
    stage()
        .patience()
        .throughout(() ->
            assertThat(duo.target().stats().arrivals())
                .as("arrivals but for one signal")
                .isEqualTo(1));
  }

  private static Scatter.Part part(Duo duo, long offset, long length) {
    return new Scatter.Part(duo.source(offset, length), duo.sink(offset, length));
  }

  private static void await(String what, Probe<Void> claim) {
    try {
      claim.awaitCompletion();
    } catch (AssertionError e) {
      throw new AssertionError(what + " was not counted as it should be", e);
    }
  }

  /** Not even a share of a write is left over. */
  private void expectNothingElse(TransferEngine... targets) {
    stage()
        .patience()
        .throughout(() -> {
          for (TransferEngine target : targets) {
            assertThat(target.stats().unclaimedImms()).as("immediates with a surplus").isZero();
          }
        });
  }
}
