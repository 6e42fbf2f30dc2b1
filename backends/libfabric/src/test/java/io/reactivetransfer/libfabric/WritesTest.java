package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Operation;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of writes that do not go well, and of the way to their peer. */
class WritesTest {

  private static final long MILLI = 1_000_000;

  private final TappedNic nic = new TappedNic();
  private final FabricPeer peer = nic.peers.resolve(new EngineId(1, 1));
  private final Route route = new Route(peer, new Token(3, 4));

  @AfterEach
  void close() {
    nic.close();
  }

  private void grant() {
    nic.poll();
    nic.peers.heard(peer, TappedNic.grant(nic.lastAsk()));
  }

  private void open() {
    nic.peers.ask(route);
    grant();
    assertThat(route.state()).isEqualTo(Route.State.OPEN);
  }

  /** The peer says again and again where to write: it lives. */
  private void refuse(boolean again) {
    open();
    nic.peers.refused(route);
    for (int i = 0; i < 300; i++) {
      nic.pollFor(20 * MILLI);
      if (route.state() == Route.State.ASKED) {
        grant();
      }
      if (again && route.state() == Route.State.OPEN) {
        nic.peers.refused(route);
      }
    }
  }

  @Test
  void theWayToAPeerThatTakesNoConnectionIsLost() {
    refuse(true);
    assertThat(nic.sink.reports()).containsExactly("lost 1");
    assertThat(nic.sink.texts()).singleElement().asString().contains("takes no connection");
  }

  /** As when a stream is cancelled while the connection is being made. */
  @Test
  void thatToAPeerToWhichNobodyWantsToWriteAnyMoreIsNot() {
    refuse(false);
    assertThat(nic.sink.reports()).isEmpty();
    assertThat(nic.peers.areUnsettled()).isFalse();
  }

  @Test
  void aWayThatWasRefusedOnceIsNotLostByARefusalMuchLater() {
    refuse(false);
    nic.peers.refused(route);
    nic.poll();
    assertThat(nic.sink.reports()).isEmpty();
  }

  @Test
  void whoDoesNotSayWhereToWriteIsLost() {
    nic.peers.ask(route);
    nic.pollFor(TappedNic.CONNECT_NANOS - MILLI);
    assertThat(nic.sink.reports()).isEmpty();
    nic.pollFor(2 * MILLI);
    assertThat(nic.sink.reports()).containsExactly("lost 1");
    assertThat(nic.sink.texts()).singleElement().asString().contains("did not say where to write");
    assertThat(route.state()).as("to be asked again").isEqualTo(Route.State.NEW);
    nic.peers.heard(peer, TappedNic.grant(nic.lastAsk()));
    assertThat(route.state()).as("by an answer that comes too late").isEqualTo(Route.State.NEW);
  }

  @Test
  void whoAnswersOneAfterTheOtherIsNotLost() {
    Route[] routes = new Route[10];
    for (int i = 0; i < routes.length; i++) {
      routes[i] = new Route(peer, new Token(i, i));
      nic.peers.ask(routes[i]);
    }
    for (int i = 1; i <= routes.length; i++) {
      nic.pollFor(TappedNic.CONNECT_NANOS / 2);
      nic.peers.heard(peer, TappedNic.grant(i));
    }
    nic.poll();
    assertThat(nic.sink.reports()).isEmpty();
    assertThat(routes).allMatch(each -> each.state() == Route.State.OPEN);
  }

  /** Whether it was revoked, or its peer is gone, only the peer can tell. */
  @Test
  void aWriteThatFailsIsReportedWhenItsPeerHasSaidThatItLives() {
    open();
    nic.peers.failed(route, new Failure(9, 104, "the connection was ended"));
    nic.poll();
    assertThat(nic.sink.reports()).isEmpty();
    nic.peers.heard(peer, TappedNic.deny(nic.lastAsk()));
    nic.poll();
    assertThat(nic.sink.reports()).containsExactly("failed 9");
    assertThat(route.denial()).isEqualTo("no");
  }

  /** Then it is the way that has failed, on which it may come still, and that is to be shut. */
  @Test
  void aWriteThatFailsThoughItsMemoryIsThereIsReportedBehindTheLossOfTheWay() {
    open();
    nic.peers.failed(route, new Failure(9, 104, "the connection was ended"));
    nic.poll();
    nic.peers.heard(peer, TappedNic.grant(nic.lastAsk()));
    nic.poll();
    assertThat(nic.sink.reports()).containsExactly("lost 1", "failed 9");
  }

  @Test
  void aWriteThatFailsBecauseItsPeerIsGoneIsReportedBehindTheLoss() {
    open();
    nic.peers.failed(route, new Failure(9, 104, "the connection was ended"));
    nic.pollFor(2 * TappedNic.CONNECT_NANOS);
    assertThat(nic.sink.reports()).containsExactly("lost 1", "failed 9");
  }

  @Test
  void aWriteThatFailsWhileTheSessionEndsIsReportedAtOnce() {
    open();
    nic.peers.failed(route, new Failure(9, 104, "the connection was ended"));
    nic.peers.disconnect(peer, "the session is over");
    nic.poll();
    assertThat(nic.sink.reports()).containsExactly("failed 9");
  }

  /** Its owner may have had no descriptors left, for a moment. */
  @Test
  void whatWasDeniedIsAskedForAgainAfterAWhile() {
    nic.peers.ask(route);
    nic.poll();
    nic.peers.heard(peer, TappedNic.deny(nic.lastAsk()));
    nic.pollFor(Peers.DENIED_NANOS / 2);
    assertThat(nic.peers.asksAgain(route)).isFalse();
    assertThat(route.state()).isEqualTo(Route.State.DENIED);
    nic.pollFor(Peers.DENIED_NANOS);
    assertThat(nic.peers.asksAgain(route)).isTrue();
    grant();
    assertThat(route.state()).isEqualTo(Route.State.OPEN);
    assertThat(nic.sink.reports()).isEmpty();
  }

  /** Nobody knows what the provider has sent. */
  @Test
  void aWriteWhoseSourceWasFreedBeforeItIsCompleteFails() {
    open();
    try (Arena shortLived = Arena.ofShared()) {
      FabricMemory source =
          nic.regions.register(new HostMemory(shortLived.allocate(100)), Access.LOCAL);
      Operation op = new Operation().between(source, route).range(0, 0, 10).token(8);
      assertThat(nic.writes.post(op, route)).isEqualTo(Writes.Posted.TAKEN);
    }
    nic.tap.completes(nic.tap.written().getFirst());
    nic.poll();
    assertThat(nic.sink.reports()).containsExactly("failed 8");
    assertThat(nic.sink.texts()).containsExactly(FabricMemory.SOURCE_FREED);
  }

  /** Those of the way are no failures of the write: another NIC may have one. */
  @ParameterizedTest
  @CsvSource({
    "11, REFUSED",
    "12, FAILED",
    "22, FAILED",
    "23, UNREACHABLE",
    "24, UNREACHABLE",
    "100, UNREACHABLE",
    "101, UNREACHABLE",
    "110, UNREACHABLE",
    "113, UNREACHABLE",
    "32, NO_WAY",
    "104, NO_WAY",
    "111, NO_WAY"
  })
  void anErrorOfAProviderThatConnectsByItselfIsOfTheWayOrOfTheWrite(
      int error, Writes.Posted posted) {
    open();
    nic.tap.writes(-error);
    Operation op = new Operation().between(nic.source(), route).range(0, 0, 10).token(8);
    assertThat(nic.writes.post(op, route)).isEqualTo(posted);
  }

  /** To lose one peer ends what is out to all, so that is not done for a write. */
  @Test
  void whereAllShareAnEndpointItIsOfTheWrite() {
    try (TappedNic shared = new TappedNic("efa", false)) {
      FabricPeer other = shared.peers.resolve(new EngineId(1, 1));
      Route to = new Route(other, new Token(1, 1));
      shared.peers.ask(to);
      shared.poll();
      shared.peers.heard(other, TappedNic.grant(shared.lastAsk()));
      shared.tap.writes(-Fi.FI_EHOSTUNREACH);
      Operation op = new Operation().between(shared.source(), to).range(0, 0, 10).token(8);
      assertThat(shared.writes.post(op, to)).isEqualTo(Writes.Posted.FAILED);
    }
  }

  private static long lengthOverA(String provider, long said) {
    try (TappedNic over = new TappedNic(provider)) {
      over.tap.arrives(3, said);
      over.poll();
      assertThat(over.sink.reports()).containsExactly("imm 3");
      return over.sink.lastBytes();
    }
  }

  /** Nobody promises that it is that of the write, and some say 0 of all. */
  @Test
  void theLengthOfAnArrivalIsBelievedOfProvidersThatWereSeenToSayIt() {
    for (String provider : List.of("tcp", "tcp;ofi_rxm", "shm")) {
      assertThat(lengthOverA(provider, 70_000)).as(provider).isEqualTo(70_000);
      assertThat(lengthOverA(provider, 0)).as(provider).isEqualTo(CompletionSink.UNKNOWN_BYTES);
    }
    for (String provider : List.of("tap", "efa", "verbs;ofi_rxm")) {
      assertThat(lengthOverA(provider, 70_000))
          .as(provider)
          .isEqualTo(CompletionSink.UNKNOWN_BYTES);
    }
  }

  @Test
  void aQueueThatCannotBeReadAgainAndAgainIsBroken() {
    nic.tap.reads(-Fi.FI_EINVAL);
    for (int i = 1; i < Writes.MOST_FAILED_READS; i++) {
      nic.poll();
    }
    nic.tap.reads(-Fi.FI_EAGAIN);
    nic.poll();
    nic.tap.reads(-Fi.FI_EINVAL);
    nic.poll();
    assertThat(nic.writes.broken()).as("it could be read in between").isNull();
    for (int i = 1; i < Writes.MOST_FAILED_READS; i++) {
      nic.poll();
    }
    Failure broken = nic.writes.broken();
    assertThat(broken).isNotNull();
    assertThat(broken.code()).isEqualTo(Fi.FI_EINVAL);
    assertThat(broken.text()).contains("fi_cq_read", "error 22");
  }

  /** As when it says for ever that there is an error, and never which one. */
  @Test
  void aQueueWhoseErrorsCannotBeReadIsBroken() {
    nic.tap.reads(-Fi.FI_EAVAIL);
    for (int i = 1; i < Writes.MOST_FAILED_READS; i++) {
      nic.poll();
    }
    assertThat(nic.writes.broken()).isNull();
    nic.poll();
    Failure broken = nic.writes.broken();
    assertThat(broken).isNotNull();
    assertThat(broken.text()).contains("fi_cq_read", "error 259");
    nic.writes.disconnect(peer, 5, "as of a NIC that has failed");
    CompletionStage<Void> fence = nic.writes.fence();
    nic.poll();
    assertThat(fence.toCompletableFuture()).as("nothing more comes").isDone();
  }
}
