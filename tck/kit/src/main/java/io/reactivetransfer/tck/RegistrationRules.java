package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Chapter 14: registration. */
abstract class RegistrationRules extends RuleGroup {

  private static final Duration SHORT = Duration.ofMillis(100);

  RegistrationRules(TransferConformance kit) {
    super(kit);
  }

  @Test
  final void r14_1_eachSubscriptionRegistersAnew() {
    TransferEngine engine = stage().open(2);
    Mono<MemoryRegion> register = engine.register(stage().memory(1_000));
    assertThat(engine.stats().openRegions()).as("regions before subscribing").isZero();
    MemoryRegion first = stage().get(register);
    MemoryRegion second = stage().get(register);
    assertThat(second).isNotSameAs(first);
    assertThat(second.descriptor()).isNotEqualTo(first.descriptor());
    assertThat(first.length()).isEqualTo(1_000);
    assertThat(engine.stats().openRegions()).isEqualTo(2);
    stage().complete(first.close());
    stage().complete(second.close());
    assertThat(engine.stats().openRegions()).isZero();
  }

  @Test
  final void r14_7_aNicThatTakesItsTimeOverMemoryHoldsNobodyUp() {
    Valve valve = new Valve();
    Duo duo = Duo.open(stage(), 2, valve);
    HostMemory memory = new HostMemory(stage().memory(4_096));
    valve.holdMemory();
    Probe<MemoryRegion> register =
        stage().probe("register", duo.origin().register(memory, Access.REMOTE_WRITE));
    Probe<MemoryRegion> withdrawn =
        stage().probe("a register that is withdrawn", duo.origin().register(memory, Access.LOCAL));
    for (int i = 0; i < 8; i++) {
      stage().done(duo.origin(), duo.write(i * 64L, 64));
    }
    register.assertSilent();
    withdrawn.cancel();
    valve.open();
    MemoryRegion region = register.awaitOne();
    assertThat(region.descriptor().length()).isEqualTo(4_096);
    valve.holdMemory();
    Probe<Void> revoke = stage().probe("revoke", region.revoke());
    Probe<Void> again = stage().probe("revoke again", region.revoke());
    Probe<Void> close = stage().probe("close", region.close());
    stage().done(duo.origin(), duo.write(512, 64));
    revoke.assertSilent();
    close.assertSilent();
    valve.open();
    revoke.awaitCompletion();
    again.awaitCompletion();
    close.awaitCompletion();
    stage()
        .patience()
        .until("the regions of the test alone", () -> duo.origin().stats().openRegions() == 1);
  }

  @Test
  final void r14_8_closingAnEngineEndsRegistrationsThatNeverComplete() {
    Valve valve = new Valve();
    Duo duo = Duo.open(stage(), 1, valve, options -> options.closeTimeout(SHORT));
    valve.holdMemory();
    HostMemory memory = new HostMemory(stage().memory(4_096));
    Probe<MemoryRegion> register =
        stage().probe("register", duo.origin().register(memory, Access.REMOTE_WRITE));
    Probe<Void> revoke = stage().probe("revoke", duo.from().region().revoke());
    Probe<Void> close = stage().probe("close a region", duo.from().region().close());
    stage().complete(duo.origin().close());
    register.awaitError(TransferRejectedException.class);
    revoke.awaitCompletion();
    close.awaitCompletion();
  }

  @Test
  final void r14_2_closingAgainCompletesTogether() {
    Valve valve = new Valve().holdReports(w -> true);
    Duo duo = Duo.open(stage(), 1, valve);
    Probe<Write> write = stage().probe("a write", duo.origin().submit(duo.write(0, 10)));
    stage().patience().until("a write posted", () -> valve.inFlight() == 1);
    Probe<Void> first = stage().probe("close", duo.from().region().close());
    Probe<Void> second = stage().probe("close again", duo.from().region().close());
    second.assertSilent();
    valve.open();
    second.awaitCompletion();
    first.awaitCompletion();
    write.awaitCompletion();
    stage().complete(duo.from().region().close());
  }

  @Test
  final void r14_3_twoRegionsOfTheSameMemoryAreIndependent() {
    Duo duo = Duo.open(stage(), 1);
    MemoryRegion twin =
        stage().get(duo.target().register(duo.to().region().memory(), Access.REMOTE_WRITE));
    stage().complete(twin.close());
    stage().done(duo.origin(), duo.write(300, 300));
    duo.expect(300, 300);
    stage().awaitBytes("after the twin was closed", duo.to());
  }

  @Test
  final void r14_4_aLocalRegionIsASourceAndHasNoName() {
    Duo duo = Duo.open(stage(), 1);
    Plot local = stage().plot(duo.origin(), 1_000, Access.LOCAL);
    stage().done(duo.origin(), Write.of(local.slice(100, 200), duo.sink(700, 200)));
    duo.to().expectCopy(700, local, 100, 200);
    stage().awaitBytes("from a local region", duo.to());
    assertThatThrownBy(() -> local.region().descriptor()).isInstanceOf(IllegalStateException.class);
  }

  @Test
  final void r14_5_closingRejectsFromTheSubscriptionOn() {
    Valve valve = new Valve().holdReports(w -> true);
    Duo duo = Duo.open(stage(), 1, valve);
    Probe<Write> write = stage().probe("a write", duo.origin().submit(duo.write(0, 10)));
    stage().patience().until("a write posted", () -> valve.inFlight() == 1);
    Write late = duo.write(64, 10);
    Mono<Void> closing = duo.from().region().close();
    assertThat(duo.from().region().isClosed()).as("closed before the subscription").isFalse();
    Probe<Void> close = stage().probe("close", closing);
    assertThat(duo.from().region().isClosed()).as("closed after the subscription").isTrue();
    stage()
        .probe("a late write", Mono.defer(() -> duo.origin().submit(late)))
        .awaitError(TransferRejectedException.class);
    assertThat(valve.taken()).as("writes posted").hasSize(1);
    valve.open();
    write.awaitCompletion();
    close.awaitCompletion();
  }

  @Test
  final void r14_6_manyRegionsComeAndGo() {
    TransferEngine engine = stage().open(2);
    HostMemory memory = new HostMemory(stage().memory(4_096));
    for (int i = 0; i < 200; i++) {
      stage().complete(stage().get(engine.register(memory, Access.REMOTE_WRITE)).close());
    }
    assertThat(engine.stats().openRegions()).isZero();
  }
}
