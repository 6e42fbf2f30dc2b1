package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.HostPort;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.base.Probe;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Finding a peer by host and port; and the end of the channel that finds them. */
class FindTest {

  private static final HostPort AT = new HostPort("decode-3", 7400);

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  @BeforeEach
  void open() {
    hand.open(1);
  }

  private Probe<Peer> find() {
    Probe<Peer> probe = hand.probe(hand.engine().peer(AT));
    hand.turn();
    return probe;
  }

  private long token() {
    return hand.control().searches().getLast().token();
  }

  private void found(int number) {
    hand.control().found(token(), hand.address(number).engine());
    hand.turn();
  }

  @Test
  void whoIsThereIsThePeer() {
    Probe<Peer> probe = find().assertOpen();
    assertThat(hand.control().searches())
        .singleElement()
        .satisfies(search -> assertThat(search.at()).isEqualTo(AT));
    found(7);
    Peer peer = probe.assertComplete().items().getFirst();
    assertThat(peer.address()).isEqualTo(new PeerAddress("scripted", hand.address(7).engine(), AT));
    Probe<Void> sending = hand.probe(hand.engine().send(peer, ByteBuffer.allocate(1)));
    hand.turn();
    assertThat(hand.control().sent().getFirst().to()).isEqualTo(peer.id());
    sending.cancel();
  }

  @Test
  void whoIsKnownAlreadyIsTheSame() {
    Peer known = hand.peer(7);
    Probe<Peer> probe = find();
    found(7);
    assertThat(probe.assertComplete().items().getFirst()).isSameAs(known);
    assertThat(known.address().control()).as("who knows one name knows it last").isEqualTo(AT);
  }

  @Test
  void nothingIsLookedForBeforeTheSubscription() {
    var mono = hand.engine().peer(AT);
    hand.turn();
    assertThat(hand.control().searches()).isEmpty();
    Probe<Peer> first = hand.probe(mono);
    Probe<Peer> second = hand.probe(mono);
    hand.turn();
    assertThat(hand.control().searches()).hasSize(2).doesNotHaveDuplicates();
    hand.control().searches().forEach(search -> hand.control().notFound(search.token(), 0, "no"));
    hand.turn();
    assertThat(first.error()).isNotNull();
    assertThat(second.error()).isNotNull();
  }

  @Test
  void whereNobodyIsIsAnError() {
    Probe<Peer> probe = find();
    hand.control().notFound(token(), 111, "connection refused");
    hand.turn();
    assertThat(probe.error())
        .isInstanceOf(PeerUnreachableException.class)
        .hasMessageContaining("decode-3:7400")
        .hasMessageContaining("connection refused");
    assertThat(((TransferException) probe.error()).code()).isEqualTo(111);
  }

  @Test
  void theEngineItselfIsNoPeer() {
    Probe<Peer> probe = find();
    hand.control().found(token(), hand.engine().id());
    hand.turn();
    assertThat(probe.error())
        .isInstanceOf(PeerUnreachableException.class)
        .hasMessageContaining("this engine itself");
  }

  @Test
  void whatIsAnsweredTwiceOrNeverWasAskedIsNoMatter() {
    Probe<Peer> probe = find();
    long token = token();
    found(7);
    hand.control().notFound(token, 0, "not there any more");
    found(8);
    hand.control().found(token + 1, hand.address(9).engine());
    hand.turn();
    assertThat(probe.assertComplete().items()).containsExactly(hand.peer(7));
  }

  @Test
  void whoeverLeavesHearsNothing() {
    Probe<Peer> probe = find();
    probe.cancel();
    hand.turn();
    found(7);
    assertThat(probe.items()).isEmpty();
    assertThat(probe.terminals()).isZero();
  }

  @Test
  void closingEndsTheSearch() {
    Probe<Peer> probe = find();
    hand.close().assertComplete();
    assertThat(probe.error()).hasMessageContaining("closed");
    Probe<Peer> late = find();
    assertThat(late.error()).hasMessageContaining("closed");
  }

  // ---- the channel fails ----

  @Test
  void aChannelThatFailsClosesTheEngineAndSaysWhy() {
    MemoryRegion source = hand.region();
    Write write = Write.of(source.slice(0, 1), hand.remote(1).slice(0, 1));
    Probe<Write> out = hand.probe(hand.engine().submit(write));
    Probe<Void> claim = hand.probe(hand.engine().counter(Imm.of(1)).next(1));
    Probe<Void> message = hand.probe(hand.engine().send(hand.peer(1), ByteBuffer.allocate(1)));
    Probe<Peer> search = find();
    assertThat(hand.inFlight()).hasSize(1);
    hand.control().fail(23, "no file descriptor is left");
    hand.turn();
    for (Probe<?> probe : new Probe<?>[] {out, claim}) {
      assertThat(probe.error())
          .hasMessageContaining("the control channel failed: no file descriptor is left");
    }
    assertThat(message.error()).isNotNull();
    assertThat(search.error()).isNotNull();
    assertThat(hand.engine().isClosed()).isTrue();
    assertThat(hand.control().isClosed()).isTrue();
    assertThat(hand.nics()).allMatch(ScriptedNic::isClosed);
  }

  @Test
  void aChannelThatCannotBeClosedKeepsNothingOpen() {
    hand.control().closeFailure = new IllegalStateException("stuck");
    hand.close().assertComplete();
    assertThat(hand.nics()).allMatch(ScriptedNic::isClosed);
  }
}
