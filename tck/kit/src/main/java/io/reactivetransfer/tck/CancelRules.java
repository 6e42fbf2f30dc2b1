package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Chapter 4: cancel cannot recall, and harms nobody else. */
abstract class CancelRules extends RuleGroup {

  CancelRules(TransferConformance kit) {
    super(kit);
  }

  @Test
  final void r4_1_cancellingBeforePostingPrevents() {
    Valve valve = new Valve().shut();
    Duo duo = Duo.open(stage(), 1, valve);
    Probe<Write> write = stage().probe("a write", duo.origin().submit(duo.write(0, 100)));
    stage()
        .patience()
        .until("a waiting write", () -> duo.origin().stats().transfersInFlight() == 1);
    write.cancel();
    stage()
        .patience()
        .until("no waiting write", () -> duo.origin().stats().transfersInFlight() == 0);
    valve.open();
    stage().done(duo.origin(), duo.write(500, 100));
    duo.expect(500, 100);
    stage().awaitBytes("after a write was cancelled", duo.to());
    assertThat(valve.taken()).as("writes that were posted").hasSize(1);
  }

  @Test
  final void r4_2_cancellingLaterLeavesTheRegionBusy() {
    Valve valve = new Valve().holdReports(w -> true);
    Duo duo = Duo.open(stage(), 1, valve);
    Probe<Write> write = stage().probe("a write", duo.origin().submit(duo.write(0, 100)));
    stage().patience().until("a write posted", () -> valve.inFlight() == 1);
    write.cancel();
    Probe<Void> quiesced = stage().probe("quiesced", duo.from().region().quiesced());
    quiesced.assertSilent();
    valve.open();
    quiesced.awaitCompletion();
    assertThat(write.values()).as("what a cancelled write emitted").isEmpty();
    write.assertPending();
  }

  @Test
  final void r4_3_cancellingAStreamStopsItQuietly() {
    Valve valve = new Valve().holdReports(w -> true);
    Duo duo = Duo.open(stage(), 1, valve, options -> options.window(2));
    Upstream<Write> upstream = Upstream.open(duo.writes(10));
    Probe<Write> stream = stage().probe("a stream", duo.origin().submit(upstream));
    stage().patience().until("2 writes posted", () -> valve.inFlight() == 2);
    stream.cancel();
    stage().patience().until("upstream cancelled", upstream::isCancelled);
    valve.open();
    stage().patience().until("nothing in flight", () -> valve.inFlight() == 0);
    stream.assertSilent();
    assertThat(valve.taken()).as("writes that were posted").hasSize(2);
  }

  @Test
  final void r4_4_cancellingOneHarmsNoOther() {
    Duo duo = Duo.open(stage(), 1);
    List<Probe<WriteImm>> streams = new ArrayList<>();
    List<Probe<Void>> claims = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Imm imm = stage().imm();
      claims.add(stage().claim(duo.target(), imm, 100));
      streams.add(
          stage().probe("100 writes", duo.origin().submit(Upstream.of(duo.writes(100, imm))), 50));
    }
    streams.get(1).awaitValues(1);
    streams.get(1).cancel();
    claims.get(1).cancel();
    for (int i = 0; i < 3; i += 2) {
      streams.get(i).request(50);
      assertThat(streams.get(i).awaitCompletion()).hasSize(100);
      claims.get(i).awaitCompletion();
    }
    duo.expectWrites(100);
    stage().awaitBytes("after a stream was cancelled", duo.to());
  }

  @Test
  final void r4_5_cancellingARegistrationUndoesIt() {
    TransferEngine engine = stage().open(1);
    HostMemory memory = new HostMemory(stage().memory(1_000));
    List<Probe<MemoryRegion>> probes = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      Mono<MemoryRegion> register = engine.register(memory, Access.REMOTE_WRITE);
      if (i % 2 == 0) {
        Probe.cancelling("a registration", stage().patience(), register);
      } else {
        Probe<MemoryRegion> probe = stage().probe("a registration", register);
        probe.cancel();
        probes.add(probe);
      }
    }
    // whatever was registered is there when a later registration is
    stage().complete(stage().get(engine.register(memory, Access.LOCAL)).close());
    List<MemoryRegion> mine = new ArrayList<>();
    stage()
        .patience()
        .until(
            "no region but those that came before the cancel",
            () -> {
              mine.clear();
              probes.forEach(probe -> mine.addAll(probe.values()));
              return engine.stats().openRegions() == mine.size();
            });
    mine.forEach(region -> stage().complete(region.close()));
    assertThat(engine.stats().openRegions()).isZero();
  }

  @Test
  final void r4_6_cancellingACloseDropsTheSignalOnly() {
    Duo duo = Duo.open(stage(), 1);
    MemoryRegion region = duo.from().region();
    stage().probe("quiesced", region.quiesced()).cancel();
    stage().probe("revoke", region.revoke()).cancel();
    stage().probe("closing a region", region.close()).cancel();
    stage().patience().until("no region", () -> duo.origin().stats().openRegions() == 0);
    assertThat(region.isClosed()).isTrue();
    TransferEngine engine = stage().open(1);
    stage().probe("closing an engine", engine.close()).cancel();
    stage().patience().until("a closed engine", engine::isClosed);
    stage().complete(engine.close());
  }
}
