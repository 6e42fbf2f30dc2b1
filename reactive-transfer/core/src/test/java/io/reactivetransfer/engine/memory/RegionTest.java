package io.reactivetransfer.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.base.HandScheduler;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.spi.BackendException;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Memory that is registered, and what becomes of it. */
class RegionTest {

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private Mono<MemoryRegion> registration(Access access) {
    return hand.engine().register(new HostMemory(Arena.ofAuto().allocate(100)), access);
  }

  private MemoryRegion register(Access access) {
    Probe<MemoryRegion> probe = hand.probe(registration(access));
    hand.turn();
    return probe.assertComplete().items().getFirst();
  }

  private Probe<Write> submit(MemoryRegion source) {
    Probe<Write> probe =
        hand.probe(
            hand.engine().submit(Write.of(source.slice(0, 10), hand.remote(1).slice(0, 10))));
    hand.turn();
    return probe;
  }

  private int registrations(int nic) {
    return hand.nic(nic).registrations() - 1; // the doorbell is one
  }

  @Test
  void isRegisteredWithAllNicsOnEachSubscription() {
    hand.open(3);
    Mono<MemoryRegion> mono = registration(Access.LOCAL);
    hand.turn();
    assertThat(registrations(0)).isZero();
    Probe<MemoryRegion> first = hand.probe(mono);
    Probe<MemoryRegion> second = hand.probe(mono);
    hand.turn();
    assertThat(first.items().getFirst()).isNotSameAs(second.items().getFirst());
    for (int nic = 0; nic < 3; nic++) {
      assertThat(registrations(nic)).isEqualTo(2);
    }
    assertThat(hand.stats().openRegions()).isEqualTo(2);
    assertThat(hand.stats().registeredBytes()).isEqualTo(2 * first.items().getFirst().length());
  }

  @Test
  void describesItself() {
    hand.open(2);
    MemoryRegion region = register(Access.REMOTE_WRITE);
    assertThat(region.length()).isEqualTo(100);
    assertThat(region.access()).isEqualTo(Access.REMOTE_WRITE);
    RegionDescriptor descriptor = region.descriptor();
    assertThat(descriptor.owner()).isEqualTo(hand.engine().address());
    assertThat(descriptor.length()).isEqualTo(100);
    assertThat(descriptor.key(0)).startsWith((byte) 0);
    assertThat(descriptor.key(1)).startsWith((byte) 1);
    assertThat(RegionDescriptor.fromBytes(descriptor.toBytes())).isEqualTo(descriptor);
    assertThat(region.toString()).contains("100", "REMOTE_WRITE");
  }

  @Test
  void whatHadArrivedIsCountedBeforeItsRevocationIsToldAndBeforeItsEnd() {
    hand.open(1);
    MemoryRegion region = register(Access.REMOTE_WRITE);
    List<Long> arrivals = new ArrayList<>();
    for (Mono<Void> end : List.of(region.revoke(), region.close())) {
      Probe<Void> told =
          hand.probe(end.doOnSuccess(_ -> arrivals.add(hand.engine().stats().arrivals())));
      hand.nic(0).arrive(1);
      hand.turn();
      told.assertComplete();
    }
    assertThat(arrivals).containsExactly(1L, 2L);
  }

  @Test
  void forLocalUseHasNoDescriptor() {
    hand.open(1);
    MemoryRegion region = register(Access.LOCAL);
    assertThatIllegalStateException().isThrownBy(region::descriptor);
    Probe<Void> revoked = hand.probe(region.revoke());
    hand.turn();
    revoked.assertComplete();
    submit(region);
    hand.completeAll();
  }

  @Test
  void withRightsThatAreNotKnownHereIsRefused() {
    hand.open(1);
    HostMemory memory = new HostMemory(Arena.ofAuto().allocate(1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> hand.engine().register(memory, Access.ofBits(3)))
        .withMessageContaining("0x2");
  }

  @Test
  void ofADeviceIsForNicsThatAllReachIt() {
    Device gpu = Device.of("gpu", 1);
    DeviceMemory memory = new DeviceMemory(gpu, 4_096, 10);
    hand.nicsWith(builder -> builder.devices(Set.of(Device.HOST, gpu)));
    hand.open(2);
    Probe<MemoryRegion> region = hand.probe(hand.engine().register(memory, Access.LOCAL));
    hand.turn();
    assertThat(region.items().getFirst().memory()).isEqualTo(memory);
    DeviceMemory next = new DeviceMemory(Device.of("gpu", 2), 4_096, 10);
    Probe<MemoryRegion> other = hand.probe(hand.engine().register(next, Access.LOCAL));
    hand.turn();
    assertThat(other.error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContaining("gpu:2")
        .hasMessageContaining("gpu:1");
    assertThat(registrations(0)).isEqualTo(1);
  }

  @Test
  void ofNoBytesIsRefused() {
    hand.open(1);
    HostMemory none = new HostMemory(Arena.ofAuto().allocate(0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> hand.engine().register(none, Access.LOCAL));
  }

  @Test
  void ofFreedMemoryIsRefusedBeforeAnyNicIsAsked() {
    hand.open(2);
    HostMemory memory;
    try (Arena arena = Arena.ofShared()) {
      memory = new HostMemory(arena.allocate(100));
    }
    Probe<MemoryRegion> probe = hand.probe(hand.engine().register(memory, Access.REMOTE_WRITE));
    hand.turn();
    assertThat(probe.error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContaining("expected memory whose arena is open")
        .hasMessageContaining("100 bytes");
    assertThat(registrations(0)).isZero();
    assertThat(registrations(1)).isZero();
    assertThat(hand.stats().openRegions()).isZero();
  }

  @Test
  void thatTheSecondNicRefusesIsUndoneOnTheFirst() {
    hand.open(3);
    hand.nic(1).registerFailure = new BackendException(12, "out of keys");
    Probe<MemoryRegion> probe = hand.probe(registration(Access.REMOTE_WRITE));
    hand.turn();
    assertThat(probe.error()).isInstanceOf(TransferRejectedException.class);
    TransferRejectedException error = (TransferRejectedException) probe.error();
    assertThat(error).hasMessageContaining("out of keys").hasMessageContaining("100 bytes");
    assertThat(error.nic()).as("the NIC that refused").isEqualTo("s1");
    assertThat(error.code()).isEqualTo(12);
    assertThat(registrations(0)).isZero();
    assertThat(registrations(1)).isZero();
    assertThat(registrations(2)).isZero();
    assertThat(hand.stats().openRegions()).isZero();
    hand.nic(1).registerFailure = null;
    register(Access.REMOTE_WRITE);
  }

  @Test
  void thatNobodyTakesIsUndone() {
    hand.signals = new HandScheduler();
    hand.open(2);
    // before the worker has seen it
    Probe<MemoryRegion> early = hand.probe(registration(Access.LOCAL));
    early.cancel();
    hand.turn();
    assertThat(hand.stats().openRegions()).isZero();
    // when it is registered, and the signal is on its way
    Probe<MemoryRegion> late = hand.probe(registration(Access.LOCAL));
    hand.turnWorker();
    assertThat(hand.stats().openRegions()).isEqualTo(1);
    late.cancel();
    hand.turn();
    assertThat(late.items()).isEmpty();
    assertThat(hand.stats().openRegions()).isZero();
    // when it is registered, and nobody has asked for it
    Probe<MemoryRegion> undemanded = hand.probe(registration(Access.LOCAL), new Probe<>(0));
    hand.turn();
    undemanded.cancel();
    hand.turn();
    assertThat(hand.stats().openRegions()).isZero();
    assertThat(registrations(0)).isZero();
    assertThat(registrations(1)).isZero();
  }

  @Test
  void thatWasTakenStaysWhenItsSubscriptionIsCancelled() {
    hand.open(1);
    Probe<MemoryRegion> probe = hand.probe(registration(Access.LOCAL));
    hand.turn();
    probe.cancel();
    hand.turn();
    assertThat(hand.stats().openRegions()).isEqualTo(1);
  }

  // ---- quiesced ----

  @Test
  void isQuietWhenNothingOfOursRefersToIt() {
    hand.open(1);
    MemoryRegion busy = register(Access.LOCAL);
    MemoryRegion idle = register(Access.LOCAL);
    submit(busy);
    Probe<Void> busyQuiet = hand.probe(busy.quiesced());
    Probe<Void> idleQuiet = hand.probe(idle.quiesced());
    hand.turn();
    idleQuiet.assertComplete();
    busyQuiet.assertOpen();
    submit(busy);
    hand.complete(hand.inFlight().getFirst());
    busyQuiet.assertOpen();
    hand.completeAll();
    busyQuiet.assertComplete();
  }

  @Test
  void thatIsCancelledWhileWaitingForQuietHarmsNobody() {
    hand.open(1);
    MemoryRegion region = register(Access.LOCAL);
    submit(region);
    Probe<Void> first = hand.probe(region.quiesced());
    Probe<Void> second = hand.probe(region.quiesced());
    hand.turn();
    first.cancel();
    hand.completeAll();
    second.assertComplete();
    assertThat(first.terminals()).isZero();
  }

  // ---- revoke ----

  @Test
  void givesANewDescriptorWhenTheOldOneIsRevoked() {
    hand.open(2);
    MemoryRegion region = register(Access.REMOTE_WRITE);
    RegionDescriptor before = region.descriptor();
    Probe<Void> revoked = hand.probe(region.revoke());
    hand.turn();
    revoked.assertComplete();
    RegionDescriptor after = region.descriptor();
    assertThat(after).isNotEqualTo(before);
    assertThat(after.key(0)).isNotEqualTo(before.key(0));
    assertThat(after.key(1)).isNotEqualTo(before.key(1));
    assertThat(region.isClosed()).isFalse();
    submit(region);
    hand.completeAll();
  }

  @Test
  void canBeRevokedWhileItsOwnWritesAreInFlight() {
    hand.open(1);
    MemoryRegion region = register(Access.REMOTE_WRITE);
    Probe<Write> probe = submit(region);
    Probe<Void> revoked = hand.probe(region.revoke());
    hand.turn();
    revoked.assertComplete();
    probe.assertOpen();
    hand.completeAll();
    probe.assertComplete();
  }

  /** One who writes there does not answer, and then the NIC takes its time. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void endsOnceMoreWhileItsNicsAreStillRevoking(boolean closes) {
    hand.open(1, o -> o.revocationGrace(Duration.ofMillis(100)));
    MemoryRegion region = register(Access.REMOTE_WRITE);
    hand.receive(1, hand.hello(1));
    hand.receive(1, ControlFrame.uses(region.descriptor().number()));
    hand.nic(0).completesRevocations = false;
    Probe<Void> first = hand.probe(region.revoke());
    hand.turn();
    assertThat(hand.control().sent(ControlFrame.REVOKE)).hasSize(1);
    assertThat(hand.nic(0).revocations()).isZero();
    hand.advance(Duration.ofMillis(100));
    assertThat(hand.nic(0).revocations()).isEqualTo(1);
    Probe<Void> second = hand.probe(closes ? region.close() : region.revoke());
    hand.turn();
    hand.nic(0).completesRevocations = true;
    hand.nic(0).endRevocations.forEach(Runnable::run);
    hand.turn();
    first.assertComplete();
    hand.advance(Duration.ofSeconds(1));
    hand.turn();
    second.assertComplete();
  }

  /** A revocation speaks of the key, which a close that still asks the others has not ended. */
  @Test
  void aRevocationDuringACloseEndsWhenTheKeyHasEnded() {
    hand.open(1, o -> o.revocationGrace(Duration.ofMillis(100)));
    MemoryRegion region = register(Access.REMOTE_WRITE);
    hand.receive(1, hand.hello(1));
    hand.receive(1, ControlFrame.uses(region.descriptor().number()));
    Probe<Void> closed = hand.probe(region.close());
    hand.turn();
    Probe<Void> revoked = hand.probe(region.revoke());
    hand.turn();
    assertThat(hand.nic(0).revocations()).isZero();
    revoked.assertOpen();
    hand.advance(Duration.ofMillis(100));
    hand.turn();
    assertThat(hand.nic(0).revocations()).isEqualTo(1);
    revoked.assertComplete();
    closed.assertComplete();
  }

  /** A NIC that breaks its contract breaks the engine down, and who registered is told. */
  @Test
  void aKeyThatIsTooLongAndComesLateEndsTheRegistration() {
    hand.open(1);
    hand.nic(0).completesRegistrations = false;
    hand.nic(0).keyBytes = 65;
    HostMemory memory = new HostMemory(Arena.ofAuto().allocate(64));
    Probe<MemoryRegion> probe = hand.probe(hand.engine().register(memory, Access.REMOTE_WRITE));
    hand.turn();
    probe.assertOpen();
    hand.nic(0).endRegistrations.forEach(Runnable::run);
    hand.turn();
    assertThat(probe.error()).hasMessageContaining("65");
  }

  /** A NIC that throws breaks the engine down, and everyone who waited is told. */
  @Test
  void whoWaitsBehindARevocationThatThrowsIsTold() {
    hand.open(1, o -> o.revocationGrace(Duration.ofMillis(100)));
    MemoryRegion region = register(Access.REMOTE_WRITE);
    MemoryRegion other = register(Access.REMOTE_WRITE);
    hand.receive(1, hand.hello(1));
    hand.receive(1, ControlFrame.uses(region.descriptor().number()));
    hand.receive(1, ControlFrame.uses(other.descriptor().number()));
    Probe<Void> first = hand.probe(region.revoke());
    Probe<Void> second = hand.probe(region.revoke());
    Probe<Void> third = hand.probe(other.revoke());
    hand.turn();
    hand.nic(0).revokeFailure = new IllegalStateException("told to throw");
    hand.advance(Duration.ofMillis(100));
    hand.turn();
    assertThat(first.terminals()).isEqualTo(1);
    assertThat(second.terminals()).isEqualTo(1);
    assertThat(third.terminals()).isEqualTo(1);
  }

  /** It was to write there when nobody was known to, and the NIC takes its time over the key. */
  @Test
  void tellsWhoSaysTooLateThatItWritesThere() {
    hand.open(1);
    MemoryRegion region = register(Access.REMOTE_WRITE);
    hand.receive(1, hand.hello(1));
    hand.nic(0).completesRevocations = false;
    Probe<Void> revoked = hand.probe(region.revoke());
    hand.turn();
    assertThat(hand.nic(0).revocations()).isEqualTo(1);
    hand.receive(1, ControlFrame.uses(region.descriptor().number()));
    hand.turn();
    assertThat(hand.control().sent(ControlFrame.REVOKE)).hasSize(1);
    hand.nic(0).endRevocations.forEach(Runnable::run);
    hand.turn();
    revoked.assertComplete();
  }

  // ---- close ----

  @Test
  void closingWaitsForWhatIsInFlight() {
    hand.open(2);
    MemoryRegion region = register(Access.REMOTE_WRITE);
    Probe<Write> probe = submit(region);
    Probe<Void> closed = hand.probe(region.close());
    hand.turn();
    closed.assertOpen();
    assertThat(registrations(0)).isEqualTo(1);
    hand.completeAll();
    probe.assertComplete();
    closed.assertComplete();
    assertThat(registrations(0)).isZero();
    assertThat(registrations(1)).isZero();
    assertThat(hand.stats().openRegions()).isZero();
  }

  @Test
  void closingEndsRemoteAccessAtOnce() {
    hand.open(1);
    MemoryRegion region = register(Access.REMOTE_WRITE);
    submit(region);
    int versions = hand.nic(0).posted().getFirst().source().version();
    hand.probe(region.close());
    hand.turn();
    assertThat(versions).isZero();
    assertThat(hand.nic(0).revocations()).isEqualTo(1);
    hand.completeAll();
  }

  @Test
  void fromTheCloseOnNewTransfersAreRejected() {
    hand.open(1);
    MemoryRegion region = register(Access.REMOTE_WRITE);
    Write write = Write.of(region.slice(0, 1), hand.remote(1).slice(0, 1));
    Mono<Write> prepared = hand.engine().submit(write);
    hand.probe(region.close());
    assertThat(region.isClosed()).isTrue();
    assertThatExceptionOfType(TransferRejectedException.class).isThrownBy(region::descriptor);
    assertThatExceptionOfType(TransferRejectedException.class).isThrownBy(() -> region.slice(0, 1));
    Probe<Write> late = hand.probe(hand.engine().submit(write));
    Probe<Write> single = hand.probe(prepared);
    Probe<Write> stream = hand.probe(hand.engine().submit(Flux.just(write)));
    hand.turn();
    assertThat(late.error()).isInstanceOf(TransferRejectedException.class);
    assertThat(single.error()).isInstanceOf(TransferRejectedException.class);
    assertThat(stream.error()).isInstanceOf(TransferRejectedException.class);
    assertThat(hand.posted()).isEmpty();
  }

  @Test
  void closingAgainCompletesTogether() {
    hand.open(1);
    MemoryRegion region = register(Access.REMOTE_WRITE);
    submit(region);
    Mono<Void> close = region.close();
    assertThat(region.isClosed()).as("before the subscription").isFalse();
    Probe<Void> first = hand.probe(close);
    Probe<Void> second = hand.probe(close);
    hand.turn();
    first.cancel();
    second.assertOpen();
    hand.completeAll();
    second.assertComplete();
    Probe<Void> third = hand.probe(region.close());
    Probe<Void> revoked = hand.probe(region.revoke());
    Probe<Void> quiet = hand.probe(region.quiesced());
    hand.turn();
    third.assertComplete();
    revoked.assertComplete();
    quiet.assertComplete();
    assertThat(first.terminals()).isZero();
  }

  @Test
  void closingAfterAFailureOrACancelWaitsForThePiecesThatAreOut() {
    hand.open(1);
    MemoryRegion region = register(Access.REMOTE_WRITE);
    Probe<Write> cancelled = submit(region);
    submit(region);
    cancelled.cancel();
    hand.fail(hand.inFlight().get(1));
    Probe<Void> closed = hand.probe(region.close());
    hand.turn();
    closed.assertOpen();
    hand.completeAll();
    closed.assertComplete();
  }

  @Test
  void whoDoesNotWaitAnyMoreLeavesNothing() {
    hand.open(1);
    MemoryRegion region = hand.region();
    submit(region);
    hand.turn();
    for (int i = 0; i < 100; i++) {
      Probe<Void> quiet = hand.probe(region.quiesced());
      hand.turn();
      quiet.cancel();
    }
    hand.turn();
    assertThat(((RegisteredRegion) region).waiters()).isZero();
    Probe<Void> closing = hand.probe(region.close());
    hand.turn();
    for (int i = 0; i < 100; i++) {
      Probe<Void> again = hand.probe(region.close());
      hand.turn();
      again.cancel();
    }
    hand.turn();
    assertThat(((RegisteredRegion) region).waiters()).as("the first, and the close").isEqualTo(2);
    hand.settle();
    closing.assertComplete();
  }
}
