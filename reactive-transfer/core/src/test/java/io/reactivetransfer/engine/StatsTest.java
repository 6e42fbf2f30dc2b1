package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.Nic;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.TrafficStats;
import io.reactivetransfer.TransferKind;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.ScriptedNic.Piece;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import io.reactivetransfer.spi.CompletionSink;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;

/** What an engine says of its NICs and peers. */
class StatsTest {

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private MemoryRegion source;

  private void open(int nics) {
    hand.open(nics, o -> o.minPieceBytes(1));
    source = hand.region();
  }

  private Probe<Write> submit(int peer, long length) {
    Write write = Write.of(source.slice(0, length), hand.remote(peer).slice(0, length));
    Probe<Write> probe = hand.probe(hand.engine().submit(write));
    hand.turn();
    return probe;
  }

  private List<TrafficStats> nics() {
    return List.copyOf(hand.stats().nics().values());
  }

  @Test
  void eachNicAndEachPeerHasItsOwn() {
    open(2);
    submit(1, 204_800);
    submit(2, 303_104);
    assertThat(hand.stats().nics().keySet()).extracting(Nic::name).containsExactly("s0", "s1");
    assertThat(nics()).extracting(TrafficStats::writesInFlight).containsExactly(2L, 2L);
    assertThat(nics()).extracting(TrafficStats::bytesPosted).containsExactly(253_952L, 253_952L);
    assertThat(hand.peer(1).stats().bytesPosted()).isEqualTo(204_800);
    assertThat(hand.peer(2).stats().bytesPosted()).isEqualTo(303_104);
    assertThat(hand.peer(2).stats().writesInFlight()).isEqualTo(2);
    hand.settle();
    assertThat(nics()).extracting(TrafficStats::writesInFlight).containsExactly(0L, 0L);
    assertThat(nics()).extracting(TrafficStats::writesPosted).containsExactly(2L, 2L);
    assertThat(hand.peer(2).stats().writesInFlight()).isZero();
    assertThat(hand.peer(2).stats().writesPosted()).isEqualTo(2);
    assertThat(hand.stats().bytesPosted()).isEqualTo(507_904);
    assertThat(hand.engine().peers()).containsExactlyInAnyOrder(hand.peer(1), hand.peer(2));
  }

  @Test
  void failuresAreThoseOfTheNicAndOfThePeer() {
    open(2);
    Probe<Write> write = submit(1, 204_800);
    List<Piece> pieces = hand.inFlight();
    hand.fail(pieces.getFirst());
    hand.nic(1).refuse(pieces.getLast(), 5, "told to refuse");
    hand.turn();
    assertThat(write.error()).isNotNull();
    assertThat(nics()).extracting(TrafficStats::writesFailed).containsExactly(1L, 1L);
    assertThat(hand.peer(1).stats().writesFailed()).isEqualTo(2);
  }

  @Test
  void aNicHasAsManyCreditsAsAreLeftOfItsDepth() {
    hand.open(1, o -> o.nicDepth(8));
    source = hand.region();
    assertThat(nics()).extracting(TrafficStats::credits).containsExactly(8L);
    submit(1, 1);
    submit(1, 1);
    assertThat(nics()).extracting(TrafficStats::credits).containsExactly(6L);
    hand.settle();
    assertThat(nics()).extracting(TrafficStats::credits).containsExactly(8L);
    assertThat(hand.peer(1).stats().credits()).isZero();
  }

  @Test
  void transfersAreCountedByTheirKindWhenTheyBegin() {
    open(1);
    MemorySlice from = source.slice(0, 8);
    RemoteSlice to = hand.remote(1).slice(0, 8);
    Imm imm = Imm.of(7);
    WriteImm write = WriteImm.of(from, to, imm);
    hand.probe(hand.engine().submit(Flux.just(write, write, write)));
    hand.probe(hand.engine().submit(Write.of(from, to)));
    hand.probe(
        hand.engine()
            .submit(
                Scatter.of(
                    imm,
                    new Scatter.Part(from, to),
                    new Scatter.Part(source.slice(0, 2), hand.remote(1).slice(0, 2)))));
    PageList first = PageList.range(0, 1);
    hand.probe(
        hand.engine()
            .submit(PagedWrite.of(4, source.whole(), first, hand.remote(1).whole(), first, imm)));
    hand.turn();
    hand.settle();
    assertThat(TransferKind.values())
        .extracting(hand.stats()::transfersBegun)
        .containsExactly(1L, 3L, 0L, 1L, 1L, 0L);
    assertThat(TransferKind.values())
        .extracting(hand.stats()::bytesBegun)
        .containsExactly(8L, 24L, 0L, 4L, 10L, 0L);
  }

  @Test
  void whatWaitsAndHowLongItHasWaited() {
    open(1);
    submit(1, 1); // greets first, which takes no time
    hand.settle();
    assertThat(hand.peer(1).stats().timeQueued()).isZero();
    long queued = hand.peer(1).stats().transfersQueued();
    hand.nic(0).room = 0;
    submit(1, 1);
    submit(1, 1);
    TrafficStats stats = hand.peer(1).stats();
    assertThat(stats.transfersWaiting()).isEqualTo(2);
    assertThat(stats.refusals()).isPositive().isEqualTo(nics().getFirst().refusals());
    hand.advance(Duration.ofMillis(3));
    hand.nic(0).room = Integer.MAX_VALUE;
    hand.turn();
    stats = hand.peer(1).stats();
    assertThat(stats.transfersWaiting()).isZero();
    assertThat(stats.transfersQueued() - queued).isEqualTo(2);
    assertThat(stats.timeQueued()).isBetween(Duration.ofMillis(6), Duration.ofMillis(7));
    hand.settle();
  }

  private void arrives(int nic, Peer from, long bytes) {
    int imm = WireImm.encode(7, 1);
    hand.nic(nic).report(sink -> sink.immArrived(from.id(), imm, bytes));
  }

  @Test
  void arrivalsAreThoseOfTheirOrigins() {
    open(2);
    Peer first = hand.peer(1);
    Peer second = hand.peer(2);
    for (int i = 0; i < 3; i++) {
      arrives(0, first, 100);
    }
    arrives(0, second, 20);
    arrives(0, first, 3);
    hand.nic(1).arrive(WireImm.encode(7, 1));
    hand.turn();
    assertThat(first.stats().arrivals()).isEqualTo(4);
    assertThat(second.stats().arrivals()).isEqualTo(1);
    assertThat(nics()).extracting(TrafficStats::arrivals).containsExactly(5L, 1L);
    assertThat(hand.stats().arrivals()).isEqualTo(6);
    assertThat(first.stats().bytesArrived()).isEqualTo(303);
    assertThat(second.stats().bytesArrived()).isEqualTo(20);
    assertThat(nics()).extracting(TrafficStats::bytesArrived).containsExactly(323L, 0L);
    assertThat(hand.stats().bytesArrived()).isEqualTo(323);
  }

  @Test
  void ofUnknownLengthsNoByteIsCounted() {
    open(1);
    Peer peer = hand.peer(1);
    arrives(0, peer, 5);
    arrives(0, peer, CompletionSink.UNKNOWN_BYTES);
    arrives(0, peer, Long.MIN_VALUE);
    arrives(0, peer, 0);
    hand.nic(0).report(sink -> sink.immArrived(WireImm.encode(7, 1), 40));
    hand.turn();
    assertThat(peer.stats().arrivals()).isEqualTo(4);
    assertThat(peer.stats().bytesArrived()).isEqualTo(5);
    assertThat(hand.stats().arrivals()).isEqualTo(5);
    assertThat(hand.stats().bytesArrived()).isEqualTo(45);
  }

  @Test
  void nothingIsInFlightOnNicsThatWereClosed() {
    open(2);
    Probe<Write> write = submit(1, 204_800);
    hand.close();
    hand.advance(hand.engine().options().closeTimeout());
    assertThat(write.error()).isNotNull();
    assertThat(nics()).extracting(TrafficStats::writesInFlight).containsExactly(0L, 0L);
    assertThat(nics()).extracting(TrafficStats::writesPosted).containsExactly(1L, 1L);
    assertThat(hand.peer(1).stats().writesInFlight()).isZero();
  }
}
