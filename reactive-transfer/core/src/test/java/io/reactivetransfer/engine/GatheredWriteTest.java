package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.GatherList;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferKind;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.ScriptedNic.Piece;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import io.reactivetransfer.engine.peers.ControlFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Writes that gather rows, over NICs that gather many of them at once, few, or none. */
class GatheredWriteTest {

  private static final Imm IMM = Imm.of(77);
  private static final long ROW = 10;
  private static final long FROM_STRIDE = 32;
  private static final long TO_STRIDE = 12;
  private static final long FROM = 100;
  private static final long TO = 2_000;

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  /** Some bytes in a row, from where to where. */
  private record Range(long from, long to, long length) {}

  private void open(int nics, int maxGather) {
    hand.nicsWith(builder -> builder.maxRows(1_000).maxGather(maxGather));
    hand.open(nics);
  }

  private static GatherList list() {
    return GatherList.of(ROW, FROM_STRIDE, TO_STRIDE);
  }

  /** So many rows, in no order, and some of them again and again. */
  private static GatherList list(int size) {
    GatherList list = list();
    new Random(size).ints(size, 0, 50).forEach(list::add);
    return list;
  }

  private AimedWrite write() {
    return AimedWrite.between(hand.region(), hand.remote(1), IMM);
  }

  private Probe<AimedWrite> submit(AimedWrite write) {
    Probe<AimedWrite> probe = hand.probe(hand.engine().submit(write));
    hand.turn();
    return probe;
  }

  private static List<Range> ranges(List<Piece> pieces) {
    List<Range> ranges = new ArrayList<>();
    for (Piece piece : pieces) {
      for (int row = 0; row < piece.rows(); row++) {
        ranges.add(
            new Range(
                piece.sourceOffsets().get(row),
                piece.targetOffset() + row * piece.targetStride(),
                piece.length() / piece.rows()));
      }
    }
    return ranges;
  }

  private static List<Range> ranges(GatherList list, long from, long to) {
    List<Range> ranges = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      ranges.add(new Range(from + list.get(i) * FROM_STRIDE, to + i * TO_STRIDE, ROW));
    }
    return ranges;
  }

  private static void assertGathers(List<Piece> pieces, GatherList list) {
    assertThat(ranges(pieces)).containsExactlyInAnyOrderElementsOf(ranges(list, FROM, TO));
  }

  private static long shares(List<Piece> pieces) {
    return pieces.stream()
        .filter(Piece::counted)
        .peek(piece -> assertThat(WireImm.imm(piece.wireImm())).isEqualTo(IMM.value()))
        .mapToLong(piece -> WireImm.shares(piece.wireImm()))
        .sum();
  }

  @ParameterizedTest
  @CsvSource({
    // NICs, rows, rows that one operation gathers; operations
    "1, 2, 8, 1",
    "2, 8, 100, 1",
    "1, 9, 8, 2",
    "3, 64, 8, 8",
    "1, 2, 1, 2",
    "2, 8, 1, 8"
  })
  void fewPiecesAreCountedByAllOfThem(int nics, int rows, int maxGather, int operations) {
    open(nics, maxGather);
    GatherList list = list(rows);
    AimedWrite write = write();
    assertThat(write.aim(list, FROM, TO)).isSameAs(write);
    assertThat(write.length()).isEqualTo(rows * ROW);
    assertThat(write.arrivals()).isEqualTo(1);
    assertThat(write.rows()).isNull();
    assertThat(write.list()).isSameAs(list);
    assertThat(write).asString().contains("of a list of " + rows + " rows");
    Probe<AimedWrite> probe = submit(write);
    assertThat(hand.posted()).hasSize(operations).allMatch(Piece::counted);
    assertThat(hand.posted()).allMatch(piece -> piece.isGathered() == piece.rows() > 1);
    assertGathers(hand.posted(), list);
    assertThat(shares(hand.posted())).isEqualTo(840);
    probe.assertOpen();
    hand.completeAll();
    probe.assertComplete();
    assertThat(hand.stats().transfersBegun(TransferKind.AIMED_WRITE)).isEqualTo(1);
    assertThat(hand.stats().bytesBegun(TransferKind.AIMED_WRITE)).isEqualTo(rows * ROW);
  }

  @ParameterizedTest
  @CsvSource({"1, 9, 1", "2, 16, 1", "3, 100, 8", "1, 65, 8"})
  void manyPiecesAreCountedWithTheLastOneWhenTheOthersAreThere(int nics, int rows, int maxGather) {
    open(nics, maxGather);
    GatherList list = list(rows);
    Probe<AimedWrite> probe = submit(write().aim(list, FROM, TO));
    int operations = Math.ceilDiv(rows, maxGather);
    assertThat(hand.posted()).hasSize(operations - 1).noneMatch(Piece::counted);
    while (hand.inFlight().size() > 1) {
      hand.complete(hand.inFlight().getLast());
      assertThat(hand.posted()).hasSize(operations - 1);
    }
    hand.completeAll();
    assertThat(hand.inFlight()).hasSize(1).allMatch(Piece::counted);
    assertGathers(hand.posted(), list);
    assertThat(shares(hand.posted())).isEqualTo(840);
    hand.completeAll();
    probe.assertComplete();
  }

  @Test
  void whereNobodyKnowsWhatHasComeOnlyFewPiecesAreSent() {
    hand.backend.completion = CompletionLevel.SOURCE_FREE;
    open(2, 2);
    AimedWrite write = write();
    Probe<AimedWrite> many = submit(write.aim(list(17), FROM, TO));
    assertThat(many.error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContaining("SOURCE_FREE")
        .hasMessageContaining("17 rows of 10 bytes")
        .hasMessageContaining("9 writes of up to 2 rows");
    assertThat(hand.posted()).isEmpty();
    assertThat(hand.engine().canCount(list(17))).isFalse();
    assertThat(hand.engine().canCount(list(16))).isTrue();
    assertThat(hand.engine().canCount(list())).isTrue();
    Probe<AimedWrite> few = submit(write.aim(list(16), FROM, TO));
    assertGathers(hand.posted(), list(16));
    hand.settle();
    few.assertComplete();
  }

  @Test
  void howManyRowsAllOfItsNicsGatherIsKnown() {
    open(2, 7);
    assertThat(hand.engine().maxGather()).isEqualTo(7);
    EngineByHand other = new EngineByHand().open(1);
    assertThat(other.engine().maxGather()).isEqualTo(1);
    other.end();
  }

  @Test
  void rowsThatAreTooLongAreCutThemselves() {
    hand.backend.maxWriteBytes = 4;
    open(1, 100);
    Probe<AimedWrite> probe = submit(write().aim(list().add(3).add(1), FROM, TO));
    assertThat(hand.posted()).extracting(Piece::length).containsExactly(4L, 4L, 2L, 4L, 4L, 2L);
    assertThat(hand.posted())
        .extracting(Piece::sourceOffset)
        .containsExactly(196L, 200L, 204L, 132L, 136L, 140L);
    assertThat(shares(hand.posted())).isEqualTo(840);
    hand.completeAll();
    probe.assertComplete();
  }

  @Test
  void anEmptyListTellsTheTargetAndNoMore() {
    open(1, 8);
    AimedWrite write = write();
    Probe<AimedWrite> probe = submit(write.aim(list(), FROM, TO));
    assertThat(write.length()).isZero();
    assertThat(hand.inFlight()).hasSize(1);
    Piece piece = hand.inFlight().getFirst();
    assertThat(piece.counted()).isTrue();
    assertThat(piece.length()).isZero();
    assertThat(shares(hand.posted())).isEqualTo(840);
    hand.completeAll();
    probe.assertComplete();
  }

  /** While NICs take nothing, and when it goes over another one, too. */
  @Test
  void whatWasTakenOverStaysWhenTheListIsFilledAgain() {
    open(2, 4);
    Peer peer = hand.peer(1);
    hand.receive(1, hand.hello(1));
    hand.nics().forEach(nic -> nic.room = 0);
    GatherList list = list(45);
    GatherList before = list.copy();
    Probe<AimedWrite> probe = submit(write().aim(list, FROM, TO));
    assertThat(hand.posted()).isEmpty();
    list.clear().addRange(100, 60);
    hand.nics().forEach(nic -> nic.room = Integer.MAX_VALUE);
    hand.turn();
    List<Piece> lost = hand.inFlight().stream().filter(piece -> piece.nic() == 0).toList();
    assertThat(lost).isNotEmpty();
    hand.loseWay(0, peer);
    hand.inFlight().forEach(hand::complete);
    list.clear().add(1);
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertThat(ranges(hand.inFlight())).containsExactlyInAnyOrderElementsOf(ranges(lost));
    hand.completeAll();
    assertThat(hand.inFlight()).hasSize(1).allMatch(Piece::counted);
    List<Piece> came = hand.posted().stream().filter(piece -> !lost.contains(piece)).toList();
    assertGathers(came, before);
    hand.completeAll();
    probe.assertComplete();
  }

  @Test
  void eachTimeItWritesWhatItsListSays() {
    open(1, 8);
    AimedWrite write = write();
    GatherList list = list();
    for (int i = 1; i < 6; i++) {
      list.clear().addRange(i, i).add(0);
      Probe<AimedWrite> probe = submit(write.aim(list, FROM, TO));
      assertGathers(hand.inFlight(), list);
      hand.settle();
      probe.assertComplete();
    }
    Probe<AimedWrite> rows = submit(write.aim(new PagedWrite.Rows(3, 10, 32, 12), FROM, TO));
    assertThat(write.list()).isNull();
    assertThat(hand.inFlight()).hasSize(1).noneMatch(Piece::isGathered);
    hand.settle();
    rows.assertComplete();
    Probe<AimedWrite> range = submit(write.aim(1, 2, 3));
    assertThat(hand.inFlight()).hasSize(1).allMatch(piece -> piece.rows() == 1);
    hand.settle();
    range.assertComplete();
  }

  /** What rows are gathered with is used again, and by one at a time. */
  @Test
  void thoseOfManyWritesAreNotMixedUp() {
    open(1, 8);
    MemoryRegion source = hand.region();
    RemoteRegion target = hand.remote(1);
    for (int round = 0; round < 3; round++) {
      hand.nic(0).forgetPosted();
      hand.nic(0).room = 0;
      List<Range> expected = new ArrayList<>();
      List<Probe<AimedWrite>> probes = new ArrayList<>();
      for (int i = 2; i < 6; i++) {
        GatherList list = list(9 * i + round);
        AimedWrite write = AimedWrite.between(source, target, IMM).aim(list, FROM, 9_000L * i);
        expected.addAll(ranges(list, FROM, 9_000L * i));
        probes.add(submit(write));
        list.clear();
      }
      hand.nic(0).room = Integer.MAX_VALUE;
      hand.turn();
      hand.settle();
      assertThat(ranges(hand.posted())).containsExactlyInAnyOrderElementsOf(expected);
      probes.forEach(Probe::assertComplete);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "-1, 0",
    "0, -1",
    "%d, 0",
    "0, %d",
    "9223372036854775807, 0",
    "0, 9223372036854775807"
  })
  void aimingBeyondTheRegionsChangesNothing(String from, String to) {
    open(1, 8);
    AimedWrite write = write().aim(1, 2, 3);
    String beyond = Long.toString(EngineByHand.REGION - 21);
    GatherList list = list().add(0).add(1); // 42 bytes there and 22 here
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() ->
            write.aim(
                list,
                Long.parseLong(from.replace("%d", beyond)),
                Long.parseLong(to.replace("%d", beyond))));
    assertThat(List.of(write.sourceOffset(), write.targetOffset(), write.length()))
        .containsExactly(1L, 2L, 3L);
    assertThat(write.list()).isNull();
    write.aim(list, EngineByHand.REGION - 42, EngineByHand.REGION - 22);
    GatherList farthest = GatherList.of(1, Long.MAX_VALUE, 1).add(2);
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> write.aim(farthest, 0, 0));
    assertThat(write.list()).isSameAs(list);
  }

  private void assertRejected(AimedWrite write) {
    Probe<AimedWrite> probe = submit(write);
    assertThat(probe.error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContaining("a list that is not changed after that");
    assertThat(hand.posted()).isEmpty();
    assertThat(hand.defects()).isZero();
  }

  /** Where it is allowed no more: the list of what is aimed. */
  @Test
  void aListThatWasChangedToLieBeyondTheRegionsIsRejected() {
    open(2, 8);
    GatherList list = list().add(0);
    AimedWrite write = write().aim(list, FROM, EngineByHand.REGION - 2 * TO_STRIDE);
    list.add(0).add(0);
    assertRejected(write);
    write.aim(list.clear().add(0), EngineByHand.REGION - 5 * FROM_STRIDE, TO);
    list.add(5);
    assertRejected(write);
    list.clear().add(Integer.MAX_VALUE);
    assertRejected(write);
    list.addRange(0, 50_000).add(Integer.MAX_VALUE);
    assertRejected(write);
    GatherList huge = GatherList.of(1, 1L << 40, 1).add(0);
    write.aim(huge, FROM, TO);
    huge.add(Integer.MAX_VALUE);
    assertRejected(write);
  }

  @Test
  void aListThatWasChangedWithinTheRegionsIsWrittenAsItIsThen() {
    open(1, 8);
    GatherList list = list(5);
    AimedWrite write = write().aim(list, FROM, TO);
    list.clear().add(60).add(2);
    Probe<AimedWrite> probe = submit(write);
    assertGathers(hand.inFlight(), list);
    hand.settle();
    probe.assertComplete();
    list.clear();
    Probe<AimedWrite> bare = submit(write);
    assertThat(hand.inFlight()).hasSize(1).allMatch(piece -> piece.length() == 0);
    hand.settle();
    bare.assertComplete();
  }

  @Test
  void redirectedItGathersTheSameRowsWithinItsTarget() {
    open(1, 8);
    RemoteRegion small = hand.engine().remote(hand.descriptor(2, 40));
    AimedWrite write = write().aim(list().add(4).add(0).add(4), FROM, TO);
    RemoteRegion target = write.target();
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> write.redirect(small, 7, Imm.of(4)));
    assertThat(write.target()).isEqualTo(target);
    Probe<AimedWrite> probe = submit(write.redirect(small, 6, IMM));
    assertThat(ranges(hand.inFlight()))
        .containsExactly(new Range(228, 6, 10), new Range(100, 18, 10), new Range(228, 30, 10));
    hand.settle();
    probe.assertComplete();
  }

  /** By another thread, again and again, and the worker has no defect and reads nothing else. */
  @Test
  void whoeverFillsTheListWhileItIsTakenOverDoesNoHarm() throws InterruptedException {
    open(1, 8);
    GatherList list = list().add(0);
    AimedWrite write = write().aim(list, FROM, TO);
    boolean[] ended = new boolean[1];
    Thread changing =
        new Thread(() -> {
          Random random = new Random(1);
          for (int i = 0; i < 200_000; i++) {
            list.clear();
            list.addRange(random.nextInt(100), random.nextInt(40));
          }
          synchronized (ended) {
            ended[0] = true;
          }
        });
    changing.start();
    boolean isOver;
    do {
      synchronized (ended) {
        isOver = ended[0];
      }
      Probe<AimedWrite> probe = submit(write);
      assertThat(hand.inFlight()).allMatch(piece -> piece.length() <= 40 * ROW);
      hand.settle();
      hand.nic(0).forgetPosted();
      probe.assertComplete();
    } while (!isOver);
    changing.join();
    assertThat(hand.defects()).isZero();
  }
}
