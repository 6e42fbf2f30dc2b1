package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.libfabric.FabricMemory.Target;
import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.libfabric.ffi.TapLibFabric.Written;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Operation;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of writes whose endpoint is closed, and what if it cannot be. */
class ClosingTest {

  private final TappedNic nic = new TappedNic();
  private final FabricPeer one = nic.peers.resolve(new EngineId(1, 1));
  private final FabricPeer other = nic.peers.resolve(new EngineId(2, 2));
  private final FabricMemory source = nic.source();

  @AfterEach
  void close() {
    nic.close();
  }

  private static Route route(FabricPeer peer) {
    Route route = new Route(peer, new Token(3, 4));
    route.open(new byte[] {5}, 0, 6, 100);
    return route;
  }

  private Written post(FabricPeer peer, long token) {
    Route route = route(peer);
    Operation op =
        new Operation().between(source, route).range(0, 0, 100).withoutImm().token(token);
    assertThat(nic.writes.post(op, route)).isEqualTo(Writes.Posted.TAKEN);
    return nic.tap.written().getLast();
  }

  @Test
  void whatComesLateOfAWriteThatWasGivenUpIsNotTakenForTheNextOne() {
    Written givenUp = post(one, 1);
    nic.peers.disconnect(one, "the test gives it up");
    nic.poll();
    assertThat(nic.sink.reports()).containsExactly("failed 1");
    Written running = post(other, 2);
    nic.tap.cancels(givenUp);
    nic.tap.completes(givenUp);
    nic.poll();
    assertThat(nic.sink.reports()).containsExactly("failed 1");
    nic.tap.completes(running);
    nic.poll();
    assertThat(nic.sink.reports()).containsExactly("failed 1", "written 2");
  }

  @Test
  void whatWasCompleteBeforeItsEndpointWasClosedIsWrittenAlsoBehindErrors() {
    nic.tap.completes(post(one, 1));
    nic.tap.cancels(post(one, 2));
    nic.tap.completes(post(one, 3));
    nic.tap.cancels(post(one, 4));
    post(one, 5);
    nic.peers.disconnect(one, "the test gives it up");
    nic.poll();
    assertThat(nic.sink.reports())
        .containsExactlyInAnyOrder("written 1", "failed 2", "written 3", "failed 4", "failed 5");
  }

  /** As when a connection ends by itself, after the queue was read. */
  @Test
  void anEndpointThatIsClosedAfterTheQueueWasReadIsWaitedForUntilItIsReadAgain() {
    Written complete = post(one, 1);
    nic.poll();
    nic.writes.disconnect(one, 0, "the test ends it");
    nic.tap.completes(complete);
    assertThat(nic.writes.reportAbandoned(nic.sink, nic.peers)).isZero();
    nic.poll();
    assertThat(nic.sink.reports()).containsExactly("written 1");
  }

  @Test
  void whatIsReadOfALostPeerBeforeItsLossIsToldIsReportedBehindThat() {
    Written out = post(one, 1);
    nic.peers.lose(one, 0, "the test loses it");
    nic.tap.cancels(out);
    nic.poll();
    nic.poll();
    assertThat(nic.sink.reports()).containsExactly("lost 1", "failed 1");
  }

  /** As when its landing is revoked meanwhile. */
  @Test
  void aFenceEndsAlsoWhereSomebodyElseHasClosedTheEndpoint() {
    Written out = post(one, 1);
    nic.tap.closes(_ -> -Fi.FI_EBUSY);
    nic.peers.disconnect(one, "the test gives it up");
    CompletableFuture<Void> fence = nic.writes.fence().toCompletableFuture();
    nic.poll();
    assertThat(fence).isNotDone();
    nic.tap.closes(_ -> 0);
    nic.fabric.close(out.endpoint());
    nic.poll();
    nic.poll();
    assertThat(fence).isDone();
    assertThat(nic.sink.reports()).containsExactly("failed 1");
  }

  @Test
  void nothingIsOverWhileAnEndpointCannotBeClosed() {
    Written running = post(one, 1);
    post(one, 2);
    nic.tap.closes(_ -> -Fi.FI_EBUSY);
    nic.peers.lose(one, 0, "the test loses it");
    nic.poll();
    nic.tap.completes(running);
    nic.poll();
    assertThat(nic.sink.reports()).as("the peer may write still").containsExactly("written 1");
    assertThat(nic.tap.closed()).isEmpty();
    nic.tap.closes(_ -> 0);
    nic.poll();
    assertThat(nic.tap.closed()).containsExactly(running.endpoint());
    assertThat(nic.sink.reports()).containsExactly("written 1", "lost 1", "failed 2");
  }

  @Test
  void revokingFailsWhileAnEndpointCannotBeClosedAndCanBeTriedAgain() {
    FabricMemory memory = Objects.requireNonNull(nic.regions.find(nic.register()));
    Target target = Objects.requireNonNull(memory.target());
    long landing = nic.regions.landingOf(target).id();
    long registration = target.registration;
    nic.tap.closes(fid -> fid == landing ? -Fi.FI_EBUSY : 0);
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> nic.regions.revoke(memory))
        .withMessageContaining("fi_close");
    assertThat(nic.tap.closed()).as("nothing new begins").containsExactly(registration);
    assertThat(nic.regions.find(memory.token())).isNull();
    assertThatExceptionOfType(BackendException.class).isThrownBy(() -> nic.regions.remove(memory));
    nic.tap.closes(_ -> 0);
    FabricMemory renewed = nic.regions.revoke(memory);
    assertThat(nic.tap.closed())
        .as("the registration's number is used again")
        .containsExactly(landing);
    assertThat(nic.regions.find(renewed.token())).isSameAs(renewed);
  }

  @Test
  void aRegistrationThatCannotBeClosedIsNotDeregistered() {
    FabricMemory memory = Objects.requireNonNull(nic.regions.find(nic.register()));
    long registration = Objects.requireNonNull(memory.target()).registration;
    nic.tap.closes(_ -> -Fi.FI_EBUSY);
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> nic.regions.remove(memory))
        .withMessageContaining("fi_close");
    nic.tap.closes(_ -> 0);
    nic.regions.remove(memory);
    assertThat(nic.tap.closed()).containsExactly(registration);
  }

  /** A provider gives the number of what was closed to what is registered next. */
  @Test
  void aRegistrationThatWasClosedIsNotClosedAgainWhenRevokingIsTriedAgain() {
    FabricMemory memory = Objects.requireNonNull(nic.regions.find(nic.register()));
    nic.tap.registers(-Fi.FI_ENOMEM);
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> nic.regions.revoke(memory))
        .withMessageContaining("fi_mr_reg");
    nic.tap.registers(0);
    FabricMemory other = Objects.requireNonNull(nic.regions.find(nic.register()));
    FabricMemory renewed = nic.regions.revoke(memory);
    assertThat(Objects.requireNonNull(renewed.target()).registration)
        .as("the other one's is open, and not given away")
        .isNotEqualTo(Objects.requireNonNull(other.target()).registration);
    assertThat(nic.regions.find(renewed.token())).isSameAs(renewed);
  }

  @Test
  void aRegistrationThatWasClosedIsNotClosedAgainWhenItIsDeregistered() {
    FabricMemory memory = Objects.requireNonNull(nic.regions.find(nic.register()));
    nic.tap.registers(-Fi.FI_ENOMEM);
    assertThatExceptionOfType(BackendException.class).isThrownBy(() -> nic.regions.revoke(memory));
    nic.tap.registers(0);
    nic.register();
    nic.regions.remove(memory);
    assertThat(nic.tap.closed()).as("the other one's registration").isEmpty();
  }
}
