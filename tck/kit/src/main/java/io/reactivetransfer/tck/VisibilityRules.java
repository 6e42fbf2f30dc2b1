package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.GatherList;
import io.reactivetransfer.Imm;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Chapter 1: visible before counted. */
abstract class VisibilityRules extends RuleGroup {

  private static final long[] LENGTHS = {2, 300, 4_104, 60_000};
  private static final int ROUNDS = 5;
  private static final int REVOCATIONS = 10;
  private static final int WRITES_BETWEEN = 20;

  /** So many writes can carry the immediate of one page. */
  private static final int WRITES_THAT_COUNT = 8;

  VisibilityRules(TransferConformance kit) {
    super(kit);
  }

  @Test
  final void r1_1_bytesCanBeReadWhenTheyAreCounted() {
    Duo duo = Duo.open(stage(), 1);
    int writes = 0; // each has other bytes, else those of the one before might be taken for its own
    for (int round = 0; round < ROUNDS; round++) {
      for (long length : LENGTHS) {
        long offset = 1_000L * round;
        int from = writes++;
        Imm imm = stage().imm();
        Probe<Void> claim = stage().claim(duo.target(), imm, 1);
        WriteImm counted =
            WriteImm.of(duo.from().slice(from, length), duo.sink(offset, length), imm);
        Probe<WriteImm> write = stage().probe("a write", duo.origin().submit(counted));
        duo.to().expectCopy(offset, duo.from(), from, length);
        claim.awaitCompletion();
        duo.to().assertAsExpected("when a write of " + length + " bytes was counted");
        write.awaitCompletion();
      }
    }
  }

  @ParameterizedTest(name = "{0} NICs")
  @MethodSource("nicCounts")
  final void r1_2_aWriteIsCountedWithItsLastPiece(int nics) {
    int pieces = 6;
    Valve valve = new Valve().limits(4_096, 64).holdWrites(piece -> isOne(piece, pieces));
    Duo duo = Duo.open(stage(), nics, valve);
    long length = valve.maxWriteBytes() * pieces - valve.maxWriteBytes() / 40;
    List<Probe<Void>> claims = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Imm imm = stage().imm();
      claims.add(stage().claim(duo.target(), imm, 1));
      stage().probe("a write", duo.origin().submit(duo.write(i * 30_000L, length, imm)));
      int begun = (i + 1) * pieces;
      int held = i + 1;
      stage()
          .patience()
          .until(
              "all pieces but one of each write done",
              () -> valve.taken().size() == begun && valve.inFlight() == held);
      duo.expect(i * 30_000L, length);
    }
    claims.getLast().assertSilent();
    claims.forEach(Probe::assertPending);
    valve.open();
    claims.forEach(Probe::awaitCompletion);
    duo.to().assertAsExpected("when writes of " + pieces + " pieces were counted");
  }

  /** The first piece of the first write, the middle one of the second, the last of the third. */
  private static boolean isOne(Valve.Taken piece, int pieces) {
    return piece.number() == 0
        || piece.number() == pieces + pieces / 2
        || piece.number() == 3 * pieces - 1;
  }

  @Test
  final void r1_3_deliveredMeansThatTheBytesCanBeRead() {
    Duo duo = Duo.open(stage(), 1);
    requireDelivered(duo.origin());
    int writes = 0; // as above
    for (int round = 0; round < ROUNDS; round++) {
      for (long length : LENGTHS) {
        long offset = 1_000L * round;
        int from = writes++;
        stage()
            .done(duo.origin(), Write.of(duo.from().slice(from, length), duo.sink(offset, length)));
        duo.to().expectCopy(offset, duo.from(), from, length);
        duo.to().assertAsExpected("when a write of " + length + " bytes was done");
      }
    }
  }

  @ParameterizedTest(name = "{0} NICs")
  @MethodSource("nicCounts")
  final void r1_4_aWriteOfManyPiecesIsCountedAfterTheEarlyOnes(int nics) {
    Valve valve = new Valve().limits(64, 64).holdWrites(piece -> piece.number() == 0);
    Duo duo = Duo.open(stage(), nics, valve);
    Imm imm = stage().imm();
    Probe<Void> claim = stage().claim(duo.target(), imm, 1);
    long length = valve.maxWriteBytes() * 20 + 6;
    stage().probe("a write", duo.origin().submit(duo.write(640, length, imm)));
    stage()
        .patience()
        .until("one piece held", () -> valve.taken().size() > 1 && valve.inFlight() == 1);
    claim.assertSilent();
    valve.open();
    claim.awaitCompletion();
    duo.expect(640, length);
    duo.to().assertAsExpected("when a write of 21 pieces was counted");
  }

  @ParameterizedTest(name = "{0} NICs")
  @MethodSource("fewNics")
  final void r1_5_deliveredIsTrueWhileRegionsAreRevoked(int nics) {
    stage().require(Capability.REVOCATION);
    TransferEngine one = stage().open(nics);
    TransferEngine other = stage().open(nics);
    requireDelivered(one);
    Lanes there = new Lanes(stage(), one, other);
    revokeMeanwhile(there);
    // What goes back may carry the answers to what comes.
    Lanes back = new Lanes(stage(), other, one);
    revokeMeanwhile(there, back);
    there.stop();
    back.stop();
  }

  private static void revokeMeanwhile(Lanes... lanes) {
    for (int round = 0; round < REVOCATIONS; round++) {
      for (Lanes each : lanes) {
        each.revokeAfter(WRITES_BETWEEN);
      }
    }
  }

  @ParameterizedTest(name = "{0} NICs")
  @MethodSource("nicCounts")
  final void r1_6_aPageIsCountedWhenAllOfItsRowsCanBeRead(int nics) {
    List<HeldPages> held =
        Stream.of(
                holdPages(nics, 1, 6),
                holdPages(nics, 1, 40),
                holdPages(nics, 4, 40),
                holdPages(nics, Integer.MAX_VALUE, 40))
            .flatMap(Optional::stream)
            .toList();
    stage().patience().throughout(() -> held.forEach(each -> each.claim().assertPending()));
    held.forEach(HeldPages::letGo);
  }

  @Test
  final void r1_7_aWriteThatIsAimedWritesThat() {
    Duo duo = Duo.open(stage(), 1);
    Imm imm = stage().imm();
    WriteImm like = duo.write(0, 1, imm);
    AimedWrite write = AimedWrite.between(like.source().region(), like.target().region(), imm);
    long shift = like.source().offset();
    for (int i = 0; i < 3; i++) {
      long at = i * 64L;
      stage().get(duo.origin().submit(write.aim(shift + at, at, 20 + i)));
      stage().complete(duo.target().counter(imm).next(1));
      duo.expect(at, 20 + i);
      duo.to().assertAsExpected("when a write was counted that was aimed at " + at);
    }
    PagedWrite.Rows rows = new PagedWrite.Rows(3, 16, 96, 32);
    stage().get(duo.origin().submit(write.aim(rows, shift, 512)));
    stage().complete(duo.target().counter(imm).next(1));
    for (int row = 0; row < 3; row++) {
      duo.to().expectCopy(512 + row * 32L, duo.from(), shift + row * 96L, 16);
    }
    duo.to().assertAsExpected("when a write was counted that was aimed at rows");
    GatherList list = GatherList.of(16, 96, 32).add(2).add(0).add(2);
    stage().get(duo.origin().submit(write.aim(list, shift, 768)));
    stage().complete(duo.target().counter(imm).next(1));
    for (int i = 0; i < 3; i++) {
      duo.to().expectCopy(768 + i * 32L, duo.from(), shift + list.get(i) * 96L, 16);
    }
    duo.to().assertAsExpected("when a write was counted that was aimed at rows of a list");
    // A claim is told before the figures say so.
    stage().patience().until("nothing unclaimed", () -> duo.target().stats().unclaimedImms() == 0);
  }

  @Test
  final void r1_8_aWriteIsRedirectedWhenItIsNotOnItsWay() {
    Valve valve = new Valve().holdWrites(piece -> piece.number() == 0);
    Duo duo = Duo.open(stage(), 1, valve);
    Plot elsewhere = stage().plot(duo.target(), 64);
    RemoteRegion there = stage().seenBy(duo.origin(), elsewhere);
    Imm first = stage().imm();
    Imm second = stage().imm();
    WriteImm like = duo.write(0, 1, first);
    long from = like.source().offset();
    AimedWrite write =
        AimedWrite.between(like.source().region(), like.target().region(), first).aim(from, 32, 20);
    Probe<AimedWrite> held = stage().probe("held", duo.origin().submit(write));
    stage().patience().until("the write is taken over", () -> valve.inFlight() == 1);
    assertThatExceptionOfType(IllegalStateException.class)
        .as("redirected while a NIC has it")
        .isThrownBy(() -> write.redirect(there, second));
    valve.open();
    held.awaitCompletion();
    stage().complete(duo.target().counter(first).next(1));
    duo.to().expectCopy(32, duo.from(), from, 20);
    duo.to().assertAsExpected("when a write was counted that nobody could redirect");
    stage().get(duo.origin().submit(write.redirect(there, second)));
    stage().complete(duo.target().counter(second).next(1));
    elsewhere.expectCopy(32, duo.from(), from, 20);
    elsewhere.assertAsExpected("when a write was counted that was redirected there");
    duo.to().assertAsExpected("when a write was redirected elsewhere");
    stage().patience().until("nothing unclaimed", () -> duo.target().stats().unclaimedImms() == 0);
  }

  /** Pages of which one piece is held, and a claim of theirs. */
  private record HeldPages(
      Duo duo, Valve valve, Grid grid, Probe<Void> claim, Probe<PagedWrite> write) {

    void letGo() {
      valve.open();
      grid.expect();
      claim.awaitCompletion();
      duo.to().assertAsExpected("when " + grid + " were counted");
      write.awaitCompletion();
    }
  }

  /** Nothing where NICs that take so few rows at once reject such pages, as they may. */
  private Optional<HeldPages> holdPages(int nics, int maxRows, int rows) {
    Valve valve = new Valve().rows(maxRows).holdWrites(piece -> piece.number() == 0);
    Duo duo = Duo.open(stage(), nics, valve);
    Grid grid = Grid.of(duo, 2, rows, 48);
    Imm imm = stage().imm();
    Probe<Void> claim = stage().claim(duo.target(), imm, 2);
    Probe<PagedWrite> write = stage().probe("pages", duo.origin().submit(grid.write(imm)));
    stage()
        .patience()
        .until("pages to be begun", () -> !valve.taken().isEmpty() || write.isTerminated());
    if (write.isTerminated() && mayBeRejected(duo, rows)) {
      write.awaitError(TransferRejectedException.class);
      claim.awaitError(TransferFailedException.class);
      return Optional.empty();
    }
    stage()
        .patience()
        .until("one piece held", () -> valve.taken().size() > 1 && valve.inFlight() == 1);
    return Optional.of(new HeldPages(duo, valve, grid, claim, write));
  }

  /** Where nobody knows what has come, that is as good, if the NICs take so few rows at once. */
  private static boolean mayBeRejected(Duo duo, int rows) {
    return rows > WRITES_THAT_COUNT && duo.origin().completionLevel() != CompletionLevel.DELIVERED;
  }

  private static void requireDelivered(TransferEngine origin) {
    assumeTrue(
        origin.completionLevel() == CompletionLevel.DELIVERED,
        "the backend completes writes when the source is free");
  }
}
