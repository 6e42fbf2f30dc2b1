package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Nic;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.peers.ControlFrame;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** What a recorder is told, and what becomes of what it throws. */
class RecorderTest {

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private final List<String> told = new ArrayList<>();
  private final List<EngineRecorder.StreamEnd> ends = new ArrayList<>();
  private MemoryRegion source;
  private boolean listens = true;

  private final EngineRecorder recorder =
      new EngineRecorder() {
        @Override
        public void opened(TransferEngine engine) {
          told.add("opened " + engine.id().low());
        }

        @Override
        public void closed(TransferEngine engine, Throwable reason) {
          told.add("closed " + engine.id().low() + " " + reason);
        }

        @Override
        public void peerFound(Peer peer) {
          told.add("found " + peer.id().low());
        }

        @Override
        public void peerLost(Peer peer, PeerUnreachableException reason) {
          told.add("lost " + peer.id().low());
        }

        @Override
        public void nicFailed(EngineId engine, Nic nic, String reason) {
          told.add("failed " + nic.name() + " " + reason);
        }

        @Override
        public void wayLost(Peer peer, Nic nic, String reason) {
          told.add("way lost " + nic.name() + " to " + peer.id().low());
        }

        @Override
        public void transferFailed(Peer peer, Nic nic, TransferException reason) {
          told.add("transfer failed on " + nic.name() + " to " + peer.id().low());
        }

        @Override
        public void transferRejected(EngineId engine, TransferException reason) {
          told.add("rejected");
        }

        @Override
        public boolean isToldOfStreams() {
          return listens;
        }

        @Override
        public void streamEnded(EngineId engine, StreamEnd end) {
          ends.add(end);
        }

        @Override
        public void revocationOverdue(Peer peer) {
          told.add("overdue " + peer.id().low());
        }

        @Override
        public void stalled(EngineId engine, Duration took) {
          told.add("stalled for " + took.toMillis() + " ms");
        }

        @Override
        public void defect(EngineId engine, String text) {
          told.add("defect");
        }
      };

  private void open(int nics) {
    hand.open(nics, o -> o.recorder(recorder).minPieceBytes(1));
    source = hand.region();
  }

  private Write write(int peer, long length) {
    return Write.of(source.slice(0, length), hand.remote(peer).slice(0, length));
  }

  private Probe<Write> submit(int peer, long length) {
    Probe<Write> probe = hand.probe(hand.engine().submit(write(peer, length)));
    hand.turn();
    return probe;
  }

  @Test
  void isToldOfPeersAndOfTheEngine() {
    open(1);
    submit(1, 1);
    hand.settle();
    hand.lose(hand.peer(1));
    hand.close();
    assertThat(told).containsExactly("opened 1", "found 1", "lost 1", "closed 1 null");
  }

  @Test
  void isToldOfEachStreamHowItEnded() {
    open(1);
    submit(1, 5);
    hand.advance(Duration.ofMillis(20));
    hand.settle();
    Probe<Write> streamed =
        hand.probe(hand.engine().submit(Flux.just(write(1, 1), write(1, 2), write(2, 4))));
    hand.turn();
    hand.complete(hand.inFlight().getFirst());
    hand.fail(hand.inFlight().getFirst());
    hand.settle();
    Probe<Write> cancelled = submit(1, 1);
    cancelled.cancel();
    hand.turn();
    hand.settle();
    assertThat(ends).extracting(EngineRecorder.StreamEnd::transfers).containsExactly(1L, 2L, 1L);
    assertThat(ends).extracting(EngineRecorder.StreamEnd::bytes).containsExactly(5L, 5L, 1L);
    assertThat(ends)
        .extracting(EngineRecorder.StreamEnd::transfersNotDone)
        .containsExactly(0L, 1L, 0L);
    assertThat(ends.get(0).duration()).isBetween(Duration.ofMillis(20), Duration.ofMillis(21));
    assertThat(ends.get(0).failure()).isNull();
    assertThat(ends.get(1).failure()).isSameAs(streamed.error());
    assertThat(ends)
        .extracting(EngineRecorder.StreamEnd::isCancelled)
        .containsExactly(false, false, true);
    assertThat(told).contains("transfer failed on s0 to 1");
  }

  /** However its transfers are cut, and whether they carry an immediate. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void isToldOfAllBytesOfAStream(int nics) {
    open(nics);
    submit(1, 1); // now the peer is known, and many go the short way
    hand.settle();
    WriteImm little = WriteImm.of(source.slice(0, 8), hand.remote(1).slice(0, 8), Imm.of(1));
    WriteImm much =
        WriteImm.of(source.slice(0, 200_000), hand.remote(1).slice(0, 200_000), Imm.of(1));
    hand.probe(
        hand.engine()
            .submit(Flux.just(write(1, 200_000), little, little, little, much, write(1, 0))));
    hand.turn();
    hand.settle();
    assertThat(ends).extracting(EngineRecorder.StreamEnd::transfers).containsExactly(1L, 6L);
    assertThat(ends).extracting(EngineRecorder.StreamEnd::bytes).containsExactly(1L, 400_024L);
  }

  @Test
  void isToldTheWholeOfAStreamThatHasBegunBeforeItListens() {
    open(1);
    listens = false;
    submit(1, 1);
    hand.settle();
    hand.probe(hand.engine().submit(Flux.just(write(1, 2), write(1, 4))));
    hand.turn();
    hand.complete(hand.inFlight().getFirst());
    hand.advance(Duration.ofMillis(20));
    assertThat(ends).isEmpty();
    listens = true;
    hand.settle();
    assertThat(ends).hasSize(1);
    assertThat(ends.getFirst().transfers()).isEqualTo(2);
    assertThat(ends.getFirst().bytes()).isEqualTo(6);
    assertThat(ends.getFirst().duration()).isBetween(Duration.ofMillis(20), Duration.ofMillis(21));
  }

  @Test
  void isToldOnceOfATransferOfWhichManyPiecesFail() {
    open(2);
    submit(1, 200_000);
    hand.inFlight().forEach(hand::fail);
    assertThat(told).filteredOn(each -> each.startsWith("transfer failed")).hasSize(1);
  }

  @Test
  void isToldOfNicsAndWays() {
    open(2);
    submit(1, 200_000);
    hand.settle();
    hand.loseWay(0, hand.peer(1));
    hand.nic(1).breakDown(5, "it was pulled out");
    hand.turn();
    assertThat(told).contains("way lost s0 to 1", "failed s1 it was pulled out");
  }

  @Test
  void isToldOfWhatIsRejectedAndOfDefects() {
    open(1);
    submit(1, 1);
    hand.settle();
    Write late = write(1, 1);
    hand.probe(source.close());
    hand.turn();
    hand.probe(hand.engine().submitEach(Flux.just(late)));
    hand.turn();
    hand.nic(0).report(sink -> sink.written(4711));
    hand.turn();
    assertThat(told).contains("rejected", "defect");
    assertThat(hand.stats().defects()).isEqualTo(1);
  }

  @Test
  void isToldOfPeersThatDoNotStopInTime() {
    open(1);
    submit(1, 1);
    hand.settle();
    hand.receive(1, ControlFrame.uses(source.descriptor().number()));
    Probe<Void> revoked = hand.probe(source.revoke());
    hand.turn();
    assertThat(told).doesNotContain("overdue 1");
    hand.advance(hand.engine().options().revocationGrace());
    revoked.assertComplete();
    assertThat(told).contains("overdue 1");
  }

  @Test
  void isToldOfTurnsThatTakeTooLong() {
    hand.open(1, o -> o.recorder(recorder).stallThreshold(Duration.ofMillis(30)));
    source = hand.region();
    submitHeldUp(Duration.ofMillis(30));
    assertThat(told).noneMatch(each -> each.startsWith("stalled"));
    submitHeldUp(Duration.ofMillis(31));
    assertThat(told).contains("stalled for 31 ms");
    hand.loop.standStill(Duration.ofSeconds(1)); // between two turns
    hand.turn();
    assertThat(told).filteredOn(each -> each.startsWith("stalled")).hasSize(1);
  }

  /** Its subscriber takes so long, on the NIC's thread. */
  private void submitHeldUp(Duration time) {
    hand.engine().submit(write(1, 1)).subscribe(_ -> hand.loop.standStill(time));
    hand.settle();
  }

  @Test
  void whatItThrowsIsADefectAndEndsNothing() {
    EngineRecorder careless =
        (EngineRecorder)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {EngineRecorder.class},
                (_, method, _) -> {
                  throw new AssertionError("told by a test: " + method.getName()) {
                    @Override
                    public String getMessage() {
                      throw new IllegalStateException("it cannot even be logged");
                    }
                  };
                });
    hand.open(1, o -> o.recorder(careless));
    source = hand.region();
    Probe<Write> write = submit(1, 1);
    hand.settle();
    write.assertComplete();
    hand.nic(0).report(sink -> sink.written(4711));
    hand.lose(hand.peer(1));
    hand.close().assertComplete();
    // opened, found, asked of the end of a stream and told, a defect that was one already, lost,
    // closed
    assertThat(hand.stats().defects()).isEqualTo(8);
  }
}
