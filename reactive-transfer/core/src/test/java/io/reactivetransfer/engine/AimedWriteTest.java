package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.groups.Tuple.tuple;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Outcome;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;

/** Writes that are aimed anew for each time. */
class AimedWriteTest {

  private static final Imm IMM = Imm.of(3);

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  @Test
  void eachTimeItWritesWhatItIsAimedAt() {
    hand.open(1);
    MemoryRegion source = hand.region();
    AimedWrite write = AimedWrite.between(source, hand.remote(1), IMM);
    Upstream<AimedWrite> upstream = new Upstream<>();
    Probe<AimedWrite> probe = hand.probe(hand.engine().submit(upstream), Probe.unbounded());
    for (int i = 0; i < 3; i++) {
      upstream.emit(write.aim(10 + i, 100 + i, 5 * i));
      hand.turn();
      assertThat(hand.inFlight()).hasSize(1);
      ScriptedNic.Piece piece = hand.inFlight().getFirst();
      assertThat(piece.counted()).isTrue();
      assertThat(List.of(piece.sourceOffset(), piece.targetOffset(), piece.length()))
          .containsExactly(10L + i, 100L + i, 5L * i);
      hand.completeAll();
    }
    assertThat(probe.items()).containsExactly(write, write, write);
    upstream.complete();
    hand.turn();
    probe.assertComplete();
  }

  @ParameterizedTest
  @CsvSource({"-1,0,1", "0,-1,1", "0,0,-1", "1,0,%d", "0,1,%d", "0,0,9223372036854775807"})
  void aimingBeyondTheRegionsChangesNothing(String source, String target, String length) {
    hand.open(1);
    MemoryRegion region = hand.region();
    AimedWrite write = AimedWrite.between(region, hand.remote(1), IMM).aim(1, 2, 3);
    long bytes = Long.parseLong(length.replace("%d", Long.toString(region.length())));
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> write.aim(Long.parseLong(source), Long.parseLong(target), bytes));
    assertThat(List.of(write.sourceOffset(), write.targetOffset(), write.length()))
        .containsExactly(1L, 2L, 3L);
  }

  @Test
  void itSaysWhatItIs() {
    hand.open(1);
    AimedWrite write = AimedWrite.between(hand.region(), hand.remote(1), IMM).aim(1, 2, 3);
    assertThat(write.imm()).isEqualTo(IMM);
    assertThat(write.arrivals()).isEqualTo(1);
    assertThat(write).asString().contains("length=3").contains("at 1").contains("at 2");
  }

  @Test
  void aSourceThatIsClosedIsRejected() {
    hand.open(1);
    MemoryRegion source = hand.region();
    AimedWrite write = AimedWrite.between(source, hand.remote(1), IMM).aim(0, 0, 8);
    hand.probe(source.close());
    hand.settle();
    Probe<Outcome<Transfer>> probe =
        hand.probe(hand.engine().submitEach(Flux.<Transfer>just(write)));
    hand.turn();
    assertThat(probe.assertComplete().items().getFirst())
        .extracting(Outcome::failure)
        .isInstanceOf(TransferRejectedException.class);
  }

  @Test
  void ofAnotherEngineItIsRefusedAtOnce() {
    hand.open(1);
    EngineByHand other = new EngineByHand().open(1);
    AimedWrite write = AimedWrite.between(other.region(), hand.remote(1), IMM);
    assertThatExceptionOfType(TransferRejectedException.class)
        .isThrownBy(() -> hand.engine().submit(write));
    other.end();
  }

  @Test
  void itDoesNotCountWhenItFails() {
    hand.open(1);
    AimedWrite write = AimedWrite.between(hand.region(), hand.remote(1), IMM).aim(0, 0, 8);
    Probe<AimedWrite> probe = hand.probe(hand.engine().submit(write));
    hand.turn();
    hand.fail(hand.inFlight().getFirst());
    hand.settle();
    assertThat(probe.error()).isNotNull();
  }

  private static void assertGoesTo(ScriptedNic.Piece piece, int peer, Imm imm) {
    assertThat(piece.target().peer().engine()).isEqualTo(EngineByHand.addressOf(peer).engine());
    assertThat(WireImm.imm(piece.wireImm())).isEqualTo(imm.value());
  }

  @Test
  void redirectedItGoesElsewhereUnderAnotherImmediate() {
    hand.open(1);
    AimedWrite write = AimedWrite.between(hand.region(), hand.remote(1), IMM).aim(1, 2, 3);
    RemoteRegion second = hand.remote(2);
    Imm other = Imm.of(4);
    Probe<AimedWrite> first = hand.probe(hand.engine().submit(write));
    hand.turn();
    assertGoesTo(hand.inFlight().getFirst(), 1, IMM);
    hand.settle();
    first.assertComplete();
    assertThat(write.redirect(second, other)).isSameAs(write);
    assertThat(write.target()).isEqualTo(second);
    assertThat(write.imm()).isEqualTo(other);
    Probe<AimedWrite> again = hand.probe(hand.engine().submit(write));
    hand.turn();
    ScriptedNic.Piece piece = hand.inFlight().getFirst();
    assertGoesTo(piece, 2, other);
    assertThat(List.of(piece.sourceOffset(), piece.targetOffset(), piece.length()))
        .containsExactly(1L, 2L, 3L);
    hand.settle();
    again.assertComplete();
  }

  private void assertRefused(AimedWrite write) {
    RemoteRegion before = write.target();
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> write.redirect(hand.remote(2), Imm.of(4)))
        .withMessageContaining("not on its way");
    assertThat(write.target()).isEqualTo(before);
    assertThat(write.imm()).isEqualTo(IMM);
  }

  /**
   * It waits for its peer, is posted, is done and is not asked for: all the time a stream has it.
   */
  @Test
  void asLongAsAStreamHasItItIsNotRedirected() {
    hand.open(1);
    AimedWrite write = AimedWrite.between(hand.region(), hand.remote(1), IMM).aim(0, 0, 8);
    Upstream<AimedWrite> upstream = new Upstream<>();
    Probe<AimedWrite> probe = hand.probe(hand.engine().submit(upstream), Probe.unbounded());
    upstream.emit(write);
    assertRefused(write);
    hand.turn();
    assertThat(hand.inFlight()).hasSize(1);
    assertRefused(write);
    hand.completeAll();
    hand.turn();
    assertThat(probe.items()).containsExactly(write);
    write.redirect(hand.remote(2), Imm.of(4));
    upstream.complete();
    hand.settle();
    probe.assertComplete();
  }

  @Test
  void whatIsPostedAgainGoesWhereItWent() {
    hand.open(2);
    AimedWrite write = AimedWrite.between(hand.region(), hand.remote(1), IMM).aim(1, 2, 3);
    Probe<AimedWrite> probe = hand.probe(hand.engine().submit(write));
    hand.turn();
    ScriptedNic.Piece lost = hand.inFlight().getFirst();
    Peer peer = hand.peer(1);
    hand.nic(lost.nic()).report(sink -> sink.peerLost(peer.id(), 1, "told to lose its way"));
    hand.nic(lost.nic()).refuse(lost, 1, "never sent");
    assertRefused(write);
    write.aim(4, 5, 6);
    hand.turn();
    ScriptedNic.Piece again = hand.inFlight().getFirst();
    assertThat(again.nic()).isNotEqualTo(lost.nic());
    assertGoesTo(again, 1, IMM);
    assertThat(List.of(again.sourceOffset(), again.targetOffset(), again.length()))
        .containsExactly(1L, 2L, 3L);
    assertRefused(write);
    hand.settle();
    probe.assertComplete();
    write.redirect(hand.remote(2), Imm.of(4));
  }

  /** Failed, cancelled, dropped behind what failed, or rejected: it is free again. */
  @Test
  void howeverItsStreamEndsItIsRedirectedThen() {
    hand.open(1);
    MemoryRegion source = hand.region();
    RemoteRegion target = hand.remote(1);
    AimedWrite fails = AimedWrite.between(source, target, IMM).aim(0, 0, 8);
    AimedWrite behind = AimedWrite.between(source, target, IMM).aim(8, 8, 8);
    Upstream<AimedWrite> upstream = new Upstream<>();
    Probe<AimedWrite> failed = hand.probe(hand.engine().submit(upstream), Probe.unbounded());
    upstream.emit(fails);
    hand.turn();
    hand.fail(hand.inFlight().getFirst());
    upstream.emit(behind);
    hand.settle();
    assertThat(failed.error()).isNotNull();
    fails.redirect(hand.remote(2), Imm.of(5));
    behind.redirect(hand.remote(2), Imm.of(5));

    Probe<AimedWrite> cancelled =
        hand.probe(hand.engine().submit(Flux.just(fails).concatWith(Flux.never())));
    hand.turn();
    cancelled.cancel();
    hand.settle();
    fails.redirect(target, Imm.of(6));

    hand.probe(source.close());
    hand.settle();
    Probe<Outcome<Transfer>> each = hand.probe(hand.engine().submitEach(Flux.just(fails, behind)));
    hand.settle();
    each.assertComplete();
    assertThat(each.items()).hasSize(2).allMatch(outcome -> outcome.failure() != null);
    fails.redirect(hand.remote(2), Imm.of(7));
    behind.redirect(hand.remote(2), Imm.of(7));
  }

  /** Upstream is slow at it, and its owner has heard of the end and goes on. */
  @Test
  void whatIsGivenBehindTheEndOfItsStreamIsItsOwnersAtOnce() {
    hand.open(1);
    MemoryRegion source = hand.region();
    RemoteRegion target = hand.remote(1);
    AimedWrite fails = AimedWrite.between(source, target, IMM).aim(0, 0, 8);
    AimedWrite late = AimedWrite.between(source, target, IMM).aim(8, 8, 8);
    Upstream<AimedWrite> upstream = new Upstream<>();
    Probe<AimedWrite> failed = hand.probe(hand.engine().submit(upstream), Probe.unbounded());
    upstream.emit(fails);
    hand.turn();
    hand.fail(hand.inFlight().getFirst());
    hand.settle();
    assertThat(failed.error()).isNotNull();
    upstream.emit(late);
    Imm other = Imm.of(4);
    Probe<AimedWrite> again =
        hand.probe(hand.engine().submit(late.redirect(hand.remote(2), other)));
    hand.turn();
    assertThat(hand.inFlight()).hasSize(1);
    assertGoesTo(hand.inFlight().getFirst(), 2, other);
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> late.redirect(target, IMM));
    hand.settle();
    again.assertComplete();
  }

  @Test
  void aStreamThatGetsWhatIsOnItsWayFails() {
    hand.open(1);
    AimedWrite write = AimedWrite.between(hand.region(), hand.remote(1), IMM).aim(0, 0, 8);
    Probe<AimedWrite> first = hand.probe(hand.engine().submit(write));
    hand.turn();
    Probe<AimedWrite> second = hand.probe(hand.engine().submit(write));
    hand.turn();
    assertThat(second.error())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("on its way");
    assertThat(hand.inFlight()).hasSize(1);
    assertRefused(write);
    hand.settle();
    first.assertComplete();
    write.redirect(hand.remote(2), Imm.of(4));
  }

  @Test
  void redirectedBeyondARegionItGoesWhereItWent() {
    hand.open(1);
    MemoryRegion source = hand.region();
    RemoteRegion target = hand.remote(1);
    RemoteRegion small = hand.engine().remote(hand.descriptor(2, 16));
    AimedWrite write = AimedWrite.between(source, target, IMM).aim(0, 8, 8);
    write.redirect(small, Imm.of(4)).redirect(target, IMM).aim(0, 8, 9);
    AimedWrite rows =
        AimedWrite.between(source, target, IMM).aim(new PagedWrite.Rows(2, 4, 4, 12), 0, 1);
    for (AimedWrite each : List.of(write, rows)) {
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> each.redirect(small, Imm.of(4)));
      assertThat(each.target()).isEqualTo(target);
      assertThat(each.imm()).isEqualTo(IMM);
    }
  }

  @Test
  void redirectedToAnotherOffsetItLeavesTheSameBytes() {
    hand.open(1);
    MemoryRegion source = hand.region();
    RemoteRegion target = hand.remote(1);
    RemoteRegion small = hand.engine().remote(hand.descriptor(2, 16));
    Imm other = Imm.of(4);
    PagedWrite.Rows rows = new PagedWrite.Rows(2, 4, 6, 12);
    AimedWrite write = AimedWrite.between(source, target, IMM).aim(3, 100, 8);
    AimedWrite inRows = AimedWrite.between(source, target, IMM).aim(rows, 3, 100);
    for (AimedWrite each : List.of(write, inRows)) {
      for (long beyond : new long[] {-1, 9}) {
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
            .isThrownBy(() -> each.redirect(small, beyond, other));
      }
      Probe<AimedWrite> first = hand.probe(hand.engine().submit(each));
      assertThatExceptionOfType(IllegalStateException.class)
          .isThrownBy(() -> each.redirect(small, 0, other));
      assertThat(List.of(each.sourceOffset(), each.targetOffset(), each.length()))
          .containsExactly(3L, 100L, 8L);
      assertThat(each.imm()).isEqualTo(IMM);
      hand.settle();
      first.assertComplete();
      assertThat(each.redirect(small, 0, other).target()).isEqualTo(small);
      assertThat(each.imm()).isEqualTo(other);
      assertThat(List.of(each.sourceOffset(), each.targetOffset(), each.length()))
          .containsExactly(3L, 0L, 8L);
    }
    assertThat(inRows.rows()).isEqualTo(rows);
  }

  @Test
  void aimedAtRowsItIsOnePageOfThem() {
    hand.nicsWith(builder -> builder.maxRows(3));
    hand.open(1);
    AimedWrite write = AimedWrite.between(hand.region(), hand.remote(1), IMM);
    PagedWrite.Rows rows = new PagedWrite.Rows(5, 10, 32, 12);
    for (int i = 0; i < 3; i++) {
      Probe<AimedWrite> probe = hand.probe(hand.engine().submit(write.aim(rows, 100, 200 + i)));
      hand.turn();
      assertThat(hand.inFlight())
          .extracting(
              ScriptedNic.Piece::sourceOffset,
              ScriptedNic.Piece::targetOffset,
              ScriptedNic.Piece::length,
              ScriptedNic.Piece::rows)
          .containsExactly(
              tuple(100L, 200L + i, 30L, 3), tuple(100L + 3 * 32, 200L + i + 3 * 12, 20L, 2));
      assertThat(hand.inFlight()).allMatch(ScriptedNic.Piece::counted);
      assertThat(write.length()).isEqualTo(50);
      assertThat(write.arrivals()).isEqualTo(1);
      assertThat(write).asString().contains("5 rows");
      hand.settle();
      probe.assertComplete();
    }
    write.aim(1, 2, 3);
    assertThat(write.rows()).isNull();
    hand.probe(hand.engine().submit(write));
    hand.turn();
    assertThat(hand.inFlight()).hasSize(1).allMatch(piece -> piece.length() == 3);
    hand.settle();
  }

  /** What pages of rows are cut with is used again, and by one at a time. */
  @Test
  void rowsOfManyWritesAreNotMixedUp() {
    hand.nicsWith(builder -> builder.maxRows(8));
    hand.open(1);
    MemoryRegion source = hand.region();
    for (int round = 0; round < 2; round++) {
      hand.nic(0).room = 0;
      List<Probe<AimedWrite>> probes = new ArrayList<>();
      for (int i = 2; i < 5; i++) {
        PagedWrite.Rows rows = new PagedWrite.Rows(i, 10L * i, 100, 50);
        AimedWrite write = AimedWrite.between(source, hand.remote(1), IMM).aim(rows, 0, 1_000L * i);
        probes.add(hand.probe(hand.engine().submit(write)));
      }
      hand.turn();
      assertThat(hand.inFlight()).isEmpty();
      hand.nic(0).room = Integer.MAX_VALUE;
      hand.turn();
      assertThat(hand.inFlight())
          .extracting(
              ScriptedNic.Piece::targetOffset, ScriptedNic.Piece::length, ScriptedNic.Piece::rows)
          .containsExactlyInAnyOrder(
              tuple(2_000L, 40L, 2), tuple(3_000L, 90L, 3), tuple(4_000L, 160L, 4));
      hand.settle();
      probes.forEach(Probe::assertComplete);
    }
  }

  @ParameterizedTest
  @CsvSource({"-1,0", "0,-1", "%d,0", "0,%d"})
  void aimingRowsBeyondTheRegionsChangesNothing(String from, String to) {
    hand.open(1);
    MemoryRegion region = hand.region();
    PagedWrite.Rows rows = new PagedWrite.Rows(2, 8, 16, 8);
    AimedWrite write = AimedWrite.between(region, hand.remote(1), IMM).aim(1, 2, 3);
    String beyond = Long.toString(region.length() - 15);
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() ->
            write.aim(
                rows,
                Long.parseLong(from.replace("%d", beyond)),
                Long.parseLong(to.replace("%d", beyond))));
    assertThat(List.of(write.sourceOffset(), write.targetOffset(), write.length()))
        .containsExactly(1L, 2L, 3L);
    assertThat(write.rows()).isNull();
  }
}
