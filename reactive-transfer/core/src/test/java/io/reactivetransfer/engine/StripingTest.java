package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.PagedWrite.Side;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Scatter.Part;
import io.reactivetransfer.Signal;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.ScriptedNic.Piece;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** Into what a transfer is cut, and which NIC gets which piece. */
class StripingTest {

  private static final Imm IMM = Imm.of(77);

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private <T extends Transfer> Probe<T> submit(T transfer) {
    Probe<T> probe = hand.probe(hand.engine().submit(transfer));
    hand.turn();
    return probe;
  }

  private WriteImm write(long length) {
    MemoryRegion source = hand.region();
    return WriteImm.of(source.slice(1_000, length), hand.remote(1).slice(2_000, length), IMM);
  }

  /** They cover each byte once, from the right place to the right place. */
  private static void assertCovers(List<Piece> pieces, long source, long target, long length) {
    long at = 0;
    for (Piece piece :
        pieces.stream().sorted(Comparator.comparingLong(Piece::sourceOffset)).toList()) {
      assertThat(piece.sourceOffset()).isEqualTo(source + at);
      assertThat(piece.targetOffset()).isEqualTo(target + at);
      at += piece.length();
    }
    assertThat(at).isEqualTo(length);
  }

  private static long shares(List<Piece> pieces) {
    return pieces.stream()
        .filter(Piece::counted)
        .peek(piece -> assertThat(WireImm.imm(piece.wireImm())).isEqualTo(IMM.value()))
        .mapToLong(piece -> WireImm.shares(piece.wireImm()))
        .sum();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8})
  void aLongWriteIsSpreadOverAllNics(int nics) {
    hand.open(nics);
    Probe<WriteImm> probe = submit(write(1_000_000));
    assertCovers(hand.posted(), 1_000, 2_000, 1_000_000);
    assertThat(shares(hand.posted())).isEqualTo(840);
    assertThat(hand.nics()).allSatisfy(nic -> assertThat(nic.posted()).hasSize(1));
    hand.completeAll();
    probe.assertComplete();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8})
  void aShortWriteIsNotCutAndNicsTakeTurns(int nics) {
    hand.open(nics);
    WriteImm write = write(64 * 1024);
    hand.probe(hand.engine().submit(Flux.just(write).repeat(nics * 3L - 1)));
    hand.turn();
    assertThat(hand.nics()).allSatisfy(nic -> assertThat(nic.posted()).hasSize(3));
    assertThat(hand.posted())
        .allSatisfy(piece -> {
          assertThat(piece.length()).isEqualTo(64 * 1024);
          assertThat(WireImm.shares(piece.wireImm())).isEqualTo(840);
        });
    hand.completeAll();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8})
  void aWriteWithoutBytesIsStillCounted(int nics) {
    hand.open(nics);
    Probe<WriteImm> probe = submit(write(0));
    assertThat(hand.posted()).hasSize(1);
    assertThat(hand.posted().getFirst().length()).isZero();
    assertThat(shares(hand.posted())).isEqualTo(840);
    hand.completeAll();
    probe.assertComplete();
  }

  @ParameterizedTest
  @CsvSource({"1, 8", "2, 8", "8, 8", "1, 9", "3, 9", "1, 10", "8, 16", "2, 17", "3, 100"})
  void countedPiecesFollowWhenAllOthersAreDone(int nics, int pieces) {
    hand.backend.maxWriteBytes = 100;
    hand.open(nics, o -> o.minPieceBytes(1));
    long length = pieces * 100L - 30;
    Probe<WriteImm> probe = submit(write(length));
    int leading = Math.max(0, pieces - 8);
    if (leading > 0) {
      assertThat(hand.posted()).hasSize(leading).noneMatch(Piece::counted);
      for (int left = leading; left > 1; left--) {
        hand.complete(hand.inFlight().get(left % hand.inFlight().size()));
        assertThat(hand.posted()).as("%d still out", left - 1).hasSize(leading);
      }
      hand.completeAll();
    }
    assertThat(hand.posted()).hasSize(pieces);
    assertThat(hand.inFlight()).hasSize(Math.min(8, pieces)).allMatch(Piece::counted);
    assertThat(shares(hand.posted())).isEqualTo(840);
    assertCovers(hand.posted(), 1_000, 2_000, length);
    probe.assertOpen();
    hand.completeAll();
    probe.assertComplete();
  }

  @Test
  void withoutAnImmediateThereIsNothingToWaitFor() {
    hand.backend.maxWriteBytes = 100;
    hand.open(2);
    MemoryRegion source = hand.region();
    Probe<Write> probe = submit(Write.of(source.slice(0, 5_000), hand.remote(1).slice(0, 5_000)));
    assertThat(hand.posted()).hasSize(50).noneMatch(Piece::counted);
    assertCovers(hand.posted(), 0, 0, 5_000);
    hand.completeAll();
    probe.assertComplete();
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 1", "3, 1, 1", "2, 5, 3", "3, 20, 1", "2, 9, 8", "1, 4, 9", "2, 5, 21"})
  void pagesAreCutAndCountedOneByOne(int nics, int pages, int piecesPerPage) {
    hand.backend.maxWriteBytes = 100;
    hand.open(nics, o -> o.minPieceBytes(1));
    long pageLength = piecesPerPage * 100L - 7;
    int[] from = new int[pages];
    int[] to = new int[pages];
    for (int i = 0; i < pages; i++) {
      from[i] = i * 3 + 1;
      to[i] = (pages - i) * 2;
    }
    MemoryRegion source = hand.region();
    RemoteRegion target = hand.remote(1);
    PagedWrite write =
        PagedWrite.of(
            pageLength,
            new Side<>(source.slice(50, 1 << 20), PageList.of(from), pageLength + 11),
            new Side<>(target.slice(60, 1 << 20), PageList.of(to), pageLength + 5),
            IMM);
    Probe<PagedWrite> probe = submit(write);
    if (piecesPerPage > 8) {
      assertThat(hand.posted()).hasSize(pages * (piecesPerPage - 8)).noneMatch(Piece::counted);
      hand.completeAll();
    }
    assertThat(hand.posted()).hasSize(pages * piecesPerPage);
    for (int page = 0; page < pages; page++) {
      long begin = 60 + to[page] * (pageLength + 5);
      List<Piece> own =
          hand.posted().stream()
              .filter(p -> p.targetOffset() >= begin && p.targetOffset() < begin + pageLength)
              .toList();
      assertCovers(own, 50 + from[page] * (pageLength + 11), begin, pageLength);
      assertThat(shares(own)).as("page %d", page).isEqualTo(840);
    }
    probe.assertOpen();
    hand.completeAll();
    assertThat(probe.assertComplete().items()).containsExactly(write);
  }

  @Test
  void pagesAreSpreadOverNicsWhole() {
    hand.open(2);
    MemoryRegion source = hand.region();
    PageList pages = PageList.range(0, 6);
    submit(PagedWrite.of(100_000, source.whole(), pages, hand.remote(1).whole(), pages, null));
    assertThat(hand.nic(0).posted()).hasSize(3);
    assertThat(hand.nic(1).posted()).hasSize(3);
    assertThat(hand.posted()).allMatch(piece -> piece.length() == 100_000);
    hand.completeAll();
  }

  @Test
  void aScatterGoesToEachTargetAndIsDoneOnce() {
    hand.open(2);
    MemoryRegion source = hand.region();
    Scatter scatter =
        Scatter.of(
            IMM,
            new Part(source.slice(0, 10), hand.remote(1).slice(100, 10)),
            new Part(source.slice(10, 0), hand.remote(2).slice(200, 0)),
            new Part(source.slice(20, 30), hand.remote(3).slice(300, 30)));
    Probe<Scatter> probe = submit(scatter);
    Map<Long, List<Piece>> byTarget =
        hand.posted().stream().collect(Collectors.groupingBy(Piece::targetOffset));
    assertThat(byTarget).containsOnlyKeys(100L, 200L, 300L);
    assertThat(byTarget.values()).allSatisfy(own -> assertThat(shares(own)).isEqualTo(840));
    assertThat(byTarget.get(300L).getFirst().target().peer().engine()).isEqualTo(hand.peer(3).id());
    hand.complete(hand.inFlight().getFirst());
    hand.complete(hand.inFlight().getFirst());
    probe.assertOpen();
    assertThat(hand.stats().transfersInFlight()).isEqualTo(1);
    hand.completeAll();
    assertThat(probe.assertComplete().items()).containsExactly(scatter);
  }

  @Test
  void aSignalGoesToTheDoorbellOfEachMember() {
    hand.open(1);
    Probe<Signal> probe = submit(Signal.of(PeerGroup.of(hand.peer(1), hand.peer(2)), IMM));
    assertThat(hand.posted())
        .hasSize(2)
        .allSatisfy(piece -> {
          assertThat(piece.length()).isZero();
          assertThat(piece.target().key()).isEqualTo("bell0");
          assertThat(WireImm.shares(piece.wireImm())).isEqualTo(840);
        })
        .extracting(piece -> piece.target().peer().engine())
        .containsExactlyInAnyOrder(hand.peer(1).id(), hand.peer(2).id());
    hand.complete(hand.inFlight().getFirst());
    probe.assertOpen();
    hand.completeAll();
    probe.assertComplete();
  }

  /** A piece made for one NIC cannot be posted on another: address and key are that NIC's own. */
  @ParameterizedTest
  @CsvSource({"3, 3", "4, 2", "2, 5", "8, 1", "1, 8"})
  void eachNicTalksToItsCounterpart(int ours, int theirs) {
    hand.open(ours, o -> o.minPieceBytes(1));
    MemoryRegion source = hand.region();
    hand.backend.peerNics = theirs;
    RemoteRegion target = hand.engine().remote(hand.descriptor(5, 1 << 20));
    submit(Write.of(source.slice(0, 1 << 20), target.whole()));
    assertThat(hand.posted())
        .hasSize(ours)
        .allSatisfy(piece -> {
          int counterpart = piece.nic() % theirs;
          assertThat(piece.target().key()).isEqualTo("key" + counterpart);
          assertThat(piece.target().peer().address()).isEqualTo("peer5nic" + counterpart);
        });
    hand.completeAll();
  }

  @Test
  void aRevokedSourceGoesOnUnderItsNewKey() {
    hand.backend.maxWriteBytes = 100;
    hand.open(1, o -> o.nicDepth(2));
    MemoryRegion source = hand.region();
    Probe<Write> probe = submit(Write.of(source.slice(0, 400), hand.remote(1).slice(0, 400)));
    hand.probe(source.revoke());
    hand.turn();
    hand.settle(); // a post with the old registration would be a violation
    probe.assertComplete();
  }
}
