package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.PagedWrite.Rows;
import io.reactivetransfer.PagedWrite.Side;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.ScriptedNic.Piece;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import io.reactivetransfer.engine.peers.ControlFrame;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pages that consist of rows, over NICs that carry many of them at once, few, or one. */
class RowsTest {

  private static final Imm IMM = Imm.of(77);
  private static final long ROW = 10;
  private static final long FROM_STRIDE = 32;
  private static final long TO_STRIDE = 12;
  private static final long PAGE_STRIDE = 4_000;

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  /** Some bytes in a row, from where to where. */
  private record Range(long from, long to, long length) {}

  private void open(int nics, int maxRows) {
    hand.nicsWith(builder -> builder.maxRows(maxRows));
    hand.open(nics);
  }

  /** Page i of the source goes to page (pages - 1 - i) of the target. */
  private Probe<PagedWrite> submit(int pages, int rows, @Nullable Imm imm) {
    MemoryRegion source = hand.region();
    int[] to = new int[pages];
    for (int i = 0; i < pages; i++) {
      to[i] = pages - 1 - i;
    }
    PagedWrite write =
        PagedWrite.of(
            new Rows(rows, ROW, FROM_STRIDE, TO_STRIDE),
            new Side<>(source.whole(), PageList.range(0, pages), PAGE_STRIDE),
            new Side<>(hand.remote(1).whole(), PageList.of(to), PAGE_STRIDE),
            imm);
    Probe<PagedWrite> probe = hand.probe(hand.engine().submit(write));
    hand.turn();
    return probe;
  }

  private static List<Range> ranges(List<Piece> pieces) {
    List<Range> ranges = new ArrayList<>();
    for (Piece piece : pieces) {
      long length = piece.length() / piece.rows();
      for (int row = 0; row < piece.rows(); row++) {
        ranges.add(
            new Range(
                piece.sourceOffset() + row * piece.sourceStride(),
                piece.targetOffset() + row * piece.targetStride(),
                length));
      }
    }
    return ranges;
  }

  private static void assertCovers(List<Piece> pieces, int pages, int rows) {
    List<Range> expected = new ArrayList<>();
    for (int page = 0; page < pages; page++) {
      for (int row = 0; row < rows; row++) {
        expected.add(
            new Range(
                page * PAGE_STRIDE + row * FROM_STRIDE,
                (pages - 1 - page) * PAGE_STRIDE + row * TO_STRIDE,
                ROW));
      }
    }
    assertThat(ranges(pieces)).containsExactlyInAnyOrderElementsOf(expected);
  }

  private static long shares(List<Piece> pieces) {
    return pieces.stream()
        .filter(Piece::counted)
        .peek(piece -> assertThat(WireImm.imm(piece.wireImm())).isEqualTo(IMM.value()))
        .mapToLong(piece -> WireImm.shares(piece.wireImm()))
        .sum();
  }

  private long takenBack() {
    return hand.control().sent(ControlFrame.ABORT).stream()
        .mapToLong(frame -> ByteBuffer.wrap(frame.content()).getLong(2 * Integer.BYTES))
        .sum();
  }

  @ParameterizedTest
  @CsvSource({
    // NICs, pages, rows, rows of one operation; operations of a page
    "1, 1, 8, 8, 1",
    "2, 5, 8, 100, 1",
    "1, 3, 9, 8, 2",
    "3, 2, 64, 8, 8",
    "1, 1, 2, 1, 2",
    "2, 4, 8, 1, 8"
  })
  void aPageOfFewPiecesIsCountedByAllOfThem(
      int nics, int pages, int rows, int maxRows, int operations) {
    open(nics, maxRows);
    Probe<PagedWrite> probe = submit(pages, rows, IMM);
    assertThat(hand.posted()).hasSize(pages * operations).allMatch(Piece::counted);
    assertCovers(hand.posted(), pages, rows);
    assertThat(shares(hand.posted())).isEqualTo(pages * 840L);
    probe.assertOpen();
    hand.completeAll();
    probe.assertComplete();
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 9, 1", "2, 3, 16, 1", "3, 2, 100, 8", "1, 4, 65, 8"})
  void aPageOfManyPiecesIsCountedWithTheLastOneWhenTheOthersAreThere(
      int nics, int pages, int rows, int maxRows) {
    open(nics, maxRows);
    Probe<PagedWrite> probe = submit(pages, rows, IMM);
    int operations = Math.ceilDiv(rows, maxRows);
    assertThat(hand.posted()).hasSize(pages * (operations - 1)).noneMatch(Piece::counted);
    while (hand.inFlight().size() > 1) {
      hand.complete(hand.inFlight().getLast());
      assertThat(hand.posted()).hasSize(pages * (operations - 1));
    }
    hand.completeAll();
    assertThat(hand.inFlight()).hasSize(pages).allMatch(Piece::counted);
    assertCovers(hand.posted(), pages, rows);
    assertThat(shares(hand.posted())).isEqualTo(pages * 840L);
    hand.completeAll();
    probe.assertComplete();
  }

  @Test
  void withoutAnImmediateThereIsNothingToWaitFor() {
    open(2, 4);
    Probe<PagedWrite> probe = submit(3, 50, null);
    assertThat(hand.posted()).hasSize(3 * 13).noneMatch(Piece::counted);
    assertCovers(hand.posted(), 3, 50);
    hand.completeAll();
    probe.assertComplete();
  }

  @Test
  void aNicIsGivenNoMoreThanTheLeastOfThemTakes() {
    hand.backend.maxWriteBytes = 45; // four rows and a half
    open(1, 100);
    submit(1, 8, IMM);
    assertThat(hand.posted()).extracting(Piece::rows).containsExactly(4, 4);
    hand.completeAll();
  }

  @Test
  void rowsThatAreTooLongAreCutThemselves() {
    hand.backend.maxWriteBytes = 4;
    open(1, 100);
    Probe<PagedWrite> probe = submit(1, 2, IMM);
    assertThat(hand.posted()).extracting(Piece::length).containsExactly(4L, 4L, 2L, 4L, 4L, 2L);
    assertThat(hand.posted()).allMatch(piece -> piece.rows() == 1);
    assertThat(hand.posted())
        .extracting(Piece::sourceOffset)
        .containsExactly(0L, 4L, 8L, 32L, 36L, 40L);
    assertThat(shares(hand.posted())).isEqualTo(840);
    hand.completeAll();
    probe.assertComplete();
  }

  /** What was written before with the same NICs, and after it, is of one row again. */
  @Test
  void rowsLeaveNothingBehindInTheOperation() {
    open(1, 100);
    submit(2, 8, IMM);
    MemoryRegion source = hand.region();
    PageList one = PageList.of(0);
    hand.probe(
        hand.engine()
            .submit(PagedWrite.of(80, source.whole(), one, hand.remote(1).whole(), one, null)));
    hand.turn();
    assertThat(hand.posted()).extracting(Piece::rows).containsExactly(8, 8, 1);
    hand.completeAll();
  }

  @Test
  void whatACountedPieceHasCountedIsTakenBackWhenAnotherOneFails() {
    open(1, 1);
    Probe<PagedWrite> probe = submit(2, 4, IMM);
    List<Piece> pieces = hand.inFlight();
    hand.nic(0).refuse(pieces.getFirst(), 3, "no such memory");
    hand.turn();
    probe.assertOpen(); // others are out
    hand.completeAll();
    assertThat(probe.error()).isInstanceOf(TransferFailedException.class);
    assertThat(takenBack()).isEqualTo(7 * 210);
  }

  @Test
  void nothingIsCountedOfPagesOfWhichAnEarlyRowFails() {
    open(1, 1);
    Probe<PagedWrite> probe = submit(2, 20, IMM);
    hand.fail(hand.inFlight().get(7));
    hand.completeAll();
    assertThat(hand.posted()).hasSize(38).noneMatch(Piece::counted);
    assertThat(probe.error()).isInstanceOf(TransferFailedException.class);
    assertThat(takenBack()).isZero();
  }

  @Test
  void rowsOfALostWayGoOverAnotherOneBeforeAnyIsCounted() {
    open(2, 4);
    Peer peer = hand.peer(1);
    hand.receive(1, hand.hello(1));
    Probe<PagedWrite> probe = submit(1, 45, IMM);
    List<Piece> lost = hand.inFlight().stream().filter(piece -> piece.nic() == 0).toList();
    assertThat(lost).isNotEmpty();
    hand.loseWay(0, peer);
    hand.inFlight().forEach(hand::complete);
    assertThat(hand.posted()).noneMatch(Piece::counted);
    hand.receive(1, ControlFrame.fenced(0, 0));
    assertThat(ranges(hand.inFlight())).containsExactlyInAnyOrderElementsOf(ranges(lost));
    assertThat(hand.inFlight()).allMatch(piece -> piece.nic() == 1 && !piece.counted());
    hand.completeAll();
    assertThat(hand.inFlight()).hasSize(1).allMatch(Piece::counted);
    hand.completeAll();
    probe.assertComplete();
  }

  @Test
  void whereNobodyKnowsWhatHasComeOnlyPagesOfFewPiecesAreTold() {
    hand.backend.completion = CompletionLevel.SOURCE_FREE;
    open(2, 2);
    Probe<PagedWrite> many = submit(1, 17, IMM);
    assertThat(many.error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContaining("SOURCE_FREE")
        .hasMessageContaining("9 writes of up to 2 rows");
    assertThat(hand.posted()).isEmpty();
    assertThat(hand.engine().canCount(new Rows(17, ROW, FROM_STRIDE, TO_STRIDE))).isFalse();
    assertThat(hand.engine().canCount(new Rows(16, ROW, FROM_STRIDE, TO_STRIDE))).isTrue();
    assertThat(hand.engine().canCount(new Rows(17, ROW, ROW, ROW))).as("a whole page").isTrue();
    Probe<PagedWrite> few = submit(3, 16, IMM);
    Probe<PagedWrite> silent = submit(1, 100, null);
    hand.settle();
    few.assertComplete();
    silent.assertComplete();
  }
}
