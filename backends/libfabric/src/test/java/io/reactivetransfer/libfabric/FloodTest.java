package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.libfabric.ffi.TapLibFabric.Written;
import io.reactivetransfer.spi.Operation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** However many peers come and go, and whatever they say, what is kept of it is bounded. */
class FloodTest {

  private static final int MANY = 20_000;

  private final TappedNic nic = new TappedNic();
  private final FabricMemory source = nic.source();
  private final Token token = nic.register();

  @AfterEach
  void close() {
    nic.close();
  }

  /** Writes to a peer, and is asked by it. */
  private Written use(FabricPeer peer) {
    Route route = new Route(peer, new Token(3, 4));
    nic.peers.ask(route);
    nic.poll();
    nic.peers.heard(peer, TappedNic.grant(nic.lastAsk()));
    nic.peers.heard(peer, Asks.ask(1, token));
    Operation op = new Operation().between(source, route).range(0, 0, 100).withoutImm().token(1);
    assertThat(nic.writes.post(op, route)).isEqualTo(Writes.Posted.TAKEN);
    Written written = nic.tap.written().removeLast();
    nic.tap.completes(written);
    nic.poll();
    nic.sink.said().clear();
    return written;
  }

  @Test
  void peersThatAreReleasedLeaveNothing() {
    for (int i = 0; i < MANY; i++) {
      FabricPeer peer = nic.peers.resolve(new EngineId(i, i));
      Written written = use(peer);
      nic.peers.release(peer);
      // Asked of the set itself: an assertion about its content looks at all that it has.
      assertThat(nic.tap.closed().contains(written.endpoint())).as("the way to it").isTrue();
    }
    nic.poll();
    assertThat(nic.peers.all()).isEmpty();
    assertThat(nic.peers.areUnsettled()).isFalse();
    assertThat(nic.tap.addresses()).isZero();
    assertThat(nic.sink.reports()).as("each write").hasSize(MANY).containsOnly("written 1");
  }

  @Test
  void sessionsThatEndLeaveNothing() {
    FabricPeer peer = nic.peers.resolve(new EngineId(1, 1));
    for (int i = 0; i < MANY; i++) {
      use(peer);
      nic.peers.disconnect(peer, "the session is over");
    }
    nic.poll();
    assertThat(nic.peers.areUnsettled()).isFalse();
    assertThat(nic.tap.addresses()).isZero();
  }

  /** An answer for each, and nothing that stays. */
  @Test
  void whoAsksOnAndOnIsAnsweredAndNothingIsKept() {
    FabricPeer peer = nic.peers.resolve(new EngineId(1, 1));
    for (int i = 0; i < MANY; i++) {
      nic.peers.heard(peer, Asks.ask(i, i % 2 == 0 ? token : new Token(i, i)));
      nic.poll();
      assertThat(nic.sink.said()).hasSize(1);
      assertThat(nic.sink.said().remove()[0]).isEqualTo(i % 2 == 0 ? Asks.GRANT : Asks.DENY);
    }
    assertThat(nic.peers.areUnsettled()).isFalse();
    assertThat(nic.peers.isDue()).isFalse();
  }

  @Test
  void whatWasSaidToOneThatIsGivenUpIsNotSaid() {
    FabricPeer peer = nic.peers.resolve(new EngineId(1, 1));
    nic.peers.heard(peer, Asks.ask(1, token));
    nic.peers.ask(new Route(peer, new Token(3, 4)));
    nic.peers.disconnect(peer, "the session is over");
    nic.poll();
    assertThat(nic.sink.said()).isEmpty();
  }
}
