package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Message;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Chapter 23: a NIC that fails. */
abstract class NicFailureRules extends RuleGroup {

  private static final int ROUNDS = 40;
  private static final int WRITES = 8;
  private static final Duration LIVENESS = Duration.ofSeconds(4);
  private static final Duration SOON = Duration.ofMillis(20);

  /** Of one piece over each of two NICs. */
  private static final long TWO_PIECES = 8192;

  /** By which a saboteur of 23.8 tells its engine from those of other rules. */
  static final int SILENT_WINDOW = 23;

  /** Behind the memory of as many writes. */
  private static final long BEHIND = WRITES * 64L;

  NicFailureRules(TransferConformance kit) {
    super(kit);
  }

  /** An origin with two NICs, of which each has carried something. */
  private Duo warm(Valve valve) {
    return warm(valve, options -> options);
  }

  private Duo warm(Valve valve, Stage.Tuning tuning) {
    stage().requireNics(2);
    Duo duo = Duo.open(stage(), 2, valve, tuning);
    stage()
        .patience()
        .until(
            "a write over each NIC",
            () -> {
              stage().probe("one", duo.origin().submit(duo.write(0, 1))).awaitCompletion();
              return valve.taken().stream().map(Valve.Taken::nic).distinct().count() == 2;
            });
    return duo;
  }

  @Test
  final void r23_1_whatItCarriedFailsAndMayBeSubmittedAgain() {
    Valve valve = new Valve();
    Duo duo = warm(valve);
    valve.holdReports(piece -> true);
    int before = valve.taken().size();
    List<Probe<WriteImm>> writes = new ArrayList<>();
    Imm imm = stage().imm();
    for (int i = 0; i < 8; i++) {
      WriteImm write = duo.write(i * 64L, 10 + i, imm);
      writes.add(stage().probe("write " + i, duo.origin().submit(write)));
    }
    stage().patience().until("8 writes done", () -> valve.ended() == before + 8);
    List<Valve.Taken> taken = valve.taken().subList(before, before + 8);
    valve.breakNic(1);
    for (Valve.Taken piece : taken) {
      Probe<WriteImm> write = writes.get((int) piece.length() - 10);
      if (piece.nic() == 1) {
        TransferException failure = write.awaitError(TransferFailedException.class);
        assertThat(failure.isRetryable()).as("retryable").isTrue();
      } else {
        write.assertPending();
      }
    }
    valve.open();
    for (Valve.Taken piece : taken) {
      if (piece.nic() != 1) {
        writes.get((int) piece.length() - 10).awaitCompletion();
      }
    }
  }

  @Test
  final void r23_2_theEngineGoesOnWithTheRest() {
    Valve valve = new Valve();
    Duo duo = warm(valve);
    valve.breakNic(1);
    stage().patience().until("one NIC left", () -> duo.origin().nics().size() == 1);
    int before = valve.taken().size();
    Imm imm = stage().imm();
    Probe<Void> arrivals = stage().probe("20 arrivals", duo.target().counter(imm).next(20));
    stage()
        .probe("20 writes", duo.origin().submit(Upstream.of(duo.writes(20, imm))))
        .awaitCompletion();
    arrivals.awaitCompletion();
    assertThat(
            valve.taken().stream().skip(before).map(Valve.Taken::nic).collect(Collectors.toSet()))
        .as("NICs that carried them")
        .containsExactly(0);
  }

  @Test
  final void r23_4_itTakesNobodyElseAlong() {
    Valve valve = new Valve();
    Duo duo = warm(valve);
    takesNobodyAlong(duo, () -> valve.breakNic(0));
    assertThat(duo.origin().nics()).as("NICs that are left").hasSize(1);
  }

  /** One that loses its way to a peer goes on with others. */
  @Test
  final void r23_4_norDoesOneThatLosesItsWay() {
    Valve valve = new Valve();
    Duo duo = warm(valve);
    takesNobodyAlong(
        duo,
        () -> {
          valve.loseWay(0, duo.peer().id());
          stage().patience().until("the loss to be told", valve::hasLostAll);
        });
    assertThat(duo.origin().nics()).as("NICs of the engine").hasSize(2);
  }

  /** One that does nothing any more, and says nothing, is given up for it alone. */
  @Test
  final void r23_4_norDoesOneThatIsSilent() {
    Valve valve = new Valve();
    Duo duo = warm(valve, options -> options.livenessDeadline(liveness()));
    int before = valve.taken().size();
    var _ = valve.takeGivingUp();
    valve.holdWrites(piece -> piece.nic() == 0);
    List<Probe<Write>> late = new ArrayList<>();
    List<Probe<WriteImm>> others = new ArrayList<>();
    Imm imm = stage().imm();
    Probe<Void> arrivals = stage().probe("8 arrivals", duo.target().counter(imm).next(WRITES));
    for (WriteImm write : duo.writes(WRITES, imm)) {
      others.add(stage().probe("a counted write", duo.origin().submit(write)));
    }
    for (int i = 0; i < 2; i++) { // one over each NIC
      Write write = duo.write(BEHIND + i * 64L, 32);
      late.add(stage().probe("a write", duo.origin().submit(write, SOON)));
    }
    late.forEach(Probe::awaitTerminal);
    assertThat(valve.taken().stream().skip(before).map(Valve.Taken::nic))
        .as("NICs that carry them")
        .contains(0, 1);
    assertThat(valve.takeGivingUp()).as("NICs that gave the peer up, as bits").isEqualTo(1);
    valve.open();
    others.forEach(Probe::awaitCompletion);
    arrivals.awaitCompletion();
  }

  /** Long, as on a busy machine others are silent, too, and shorter than this is waited for. */
  private Duration liveness() {
    Duration most = stage().patience().signal().multipliedBy(2).dividedBy(3);
    return most.compareTo(LIVENESS) < 0 ? most : LIVENESS;
  }

  /** Nor is it given up: it may be slow, or stand for a moment only. */
  @Test
  final void r23_8_aWayThatIsSilentGetsNothingNew() {
    Valve valve = new Valve();
    Duo duo = warm(valve, options -> options.livenessDeadline(liveness()).window(SILENT_WINDOW));
    duo.expect(0, TWO_PIECES);
    Duration pause = liveness().dividedBy(8);
    List<Probe<Write>> writes = new ArrayList<>();
    valve.holdWrites(piece -> piece.nic() == 0);
    stage()
        .patience()
        .until(
            "a write of two pieces to be done while one way is silent",
            () -> {
              Write write = duo.write(0, TWO_PIECES);
              writes.add(stage().probe("a write of two pieces", duo.origin().submit(write)));
              stage().rest(pause);
              return valve.inFlight() > 0 && writes.getLast().isTerminated();
            });
    writes.getLast().awaitCompletion();
    assertThat(valve.inFlight()).as("what is on that way, which was not given up").isPositive();
    valve.open();
    writes.forEach(Probe::awaitCompletion);
    int before = valve.taken().size();
    stage()
        .patience()
        .until(
            "a write over the way that was silent",
            () -> {
              stage().done(duo.origin(), duo.write(0, TWO_PIECES));
              return valve.taken().stream().skip(before).anyMatch(piece -> piece.nic() == 0);
            });
    stage().awaitBytes("over both ways", duo.to());
  }

  private void takesNobodyAlong(Duo duo, Runnable failure) {
    PeerGroup target = PeerGroup.of(duo.peer());
    PeerGroup origin = PeerGroup.of(duo.target().peer(duo.origin().address()));
    Probe<Message> messages = stage().probe("messages", duo.target().messages());
    Imm imm = stage().imm();
    Probe<Void> bound =
        stage().probe("a bound claim", duo.target().counter(imm).boundTo(origin.peers()).next(1));
    for (int round = 0; round < ROUNDS; round++) {
      if (round == ROUNDS / 4) {
        failure.run();
      }
      Probe<Void> there = stage().probe("a barrier there", duo.target().barrier(origin));
      stage().probe("a barrier here", duo.origin().barrier(target)).awaitCompletion();
      there.awaitCompletion();
      stage().complete(duo.origin().send(duo.peer(), ByteBuffer.allocate(8)));
    }
    messages.awaitValues(ROUNDS);
    bound.assertPending();
    stage().done(duo.origin(), duo.signal(imm));
    bound.awaitCompletion();
  }

  /** Where the target has it, which tells the origin that it leads nowhere any more. */
  @Test
  final void r23_4_norDoesOneOfTheTarget() {
    stage().requireNics(2);
    Valve valve = new Valve();
    Duo duo = Duo.of(stage(), stage().open(2), stage().open(2, valve));
    Peer back = duo.target().peer(duo.origin().address());
    PeerGroup target = PeerGroup.of(duo.peer());
    PeerGroup origin = PeerGroup.of(back);
    Probe<Message> messages = stage().probe("messages", duo.origin().messages());
    Imm imm = stage().imm();
    Probe<Void> bound =
        stage().probe("a bound claim", duo.target().counter(imm).boundTo(back).next(WRITES));
    for (int round = 0; round < ROUNDS; round++) {
      if (round == ROUNDS / 4) {
        valve.breakNic(0);
      }
      Probe<Void> there = stage().probe("a barrier there", duo.target().barrier(origin));
      stage().probe("a barrier here", duo.origin().barrier(target)).awaitCompletion();
      there.awaitCompletion();
      stage().done(duo.origin(), duo.write(round * 64L, 32));
      duo.expect(round * 64L, 32);
    }
    stage().patience().until("one NIC left", () -> duo.target().nics().size() == 1);
    // Behind what was said of the NIC: so the origin knows of it when this has come.
    stage().complete(duo.target().send(back, ByteBuffer.allocate(8)));
    messages.awaitValues(1);
    bound.assertPending();
    for (int i = 0; i < WRITES; i++) {
      stage().done(duo.origin(), duo.signal(imm));
    }
    bound.awaitCompletion();
    stage().awaitBytes("over the NIC that is left", duo.to());
  }

  @Test
  final void r23_5_whatNeverArrivesAnyMoreTakesAnotherWay() {
    Valve valve = new Valve();
    Duo duo = warm(valve);
    takesAnotherWay(
        duo,
        valve,
        () -> {
          valve.breakNic(1);
          stage().patience().until("one NIC left", () -> duo.origin().nics().size() == 1);
        });
  }

  @Test
  final void r23_5_soDoesWhatALostWayHadTaken() {
    Valve valve = new Valve();
    Duo duo = warm(valve);
    takesAnotherWay(
        duo,
        valve,
        () -> {
          valve.loseWay(1, duo.peer().id());
          stage().patience().until("the loss to be told", valve::hasLostAll);
        });
  }

  private void takesAnotherWay(Duo duo, Valve valve, Runnable failure) {
    Imm imm = stage().imm();
    Probe<Void> arrivals = stage().probe("8 arrivals", duo.target().counter(imm).next(WRITES));
    int before = valve.taken().size();
    valve.holdReports(piece -> true);
    List<Probe<?>> writes = new ArrayList<>();
    for (int i = 0; i < WRITES; i++) {
      Write write = duo.write(BEHIND + i * 64L, 32);
      duo.expect(BEHIND + i * 64L, 32);
      writes.add(stage().probe("a write", duo.origin().submit(write)));
    }
    stage().patience().until("writes that are done", () -> valve.ended() == before + WRITES);
    valve.holdWrites(piece -> true);
    for (WriteImm write : duo.writes(WRITES, imm)) {
      writes.add(stage().probe("a counted write", duo.origin().submit(write)));
    }
    stage()
        .patience()
        .until("writes that are not begun", () -> valve.taken().size() == before + 2 * WRITES);
    assertThat(valve.taken().stream().skip(before).map(Valve.Taken::nic).distinct())
        .as("NICs that carry them")
        .hasSize(2);
    failure.run();
    valve.open();
    writes.forEach(Probe::awaitCompletion);
    arrivals.awaitCompletion();
    duo.expectWrites(WRITES);
    Probe<Long> left = stage().probe("what was counted twice", duo.target().counter(imm).discard());
    left.awaitCompletion();
    assertThat(left.values()).as("arrivals of a write that was posted twice").containsExactly(0L);
    stage().awaitBytes("over the NIC that is left", duo.to());
  }

  @Test
  final void r23_6_memoryOfAnAcceleratorGoesOverTheNicsThatAreNamedForIt() {
    stage().requireNics(2);
    Device device = BareNic.DEVICE.devices().getFirst();
    String near = stage().backend().nics(2).get(1).name();
    Valve valve = new Valve();
    Duo duo = Duo.open(stage(), 2, valve, options -> options.deviceNics(device, near));
    MemoryRegion source = register(duo.origin(), valve, BareNic.DEVICE.allocate(WRITES * 64));
    assertThat(nicsOf(duo, valve, duo.from().region())).as("NICs of the host").hasSize(2);
    assertThat(nicsOf(duo, valve, source)).as("NICs of the accelerator").containsExactly(1);
    valve.breakNic(1);
    stage().patience().until("one NIC left", () -> duo.origin().nics().size() == 1);
    assertThat(nicsOf(duo, valve, source)).as("NICs that stand in").containsExactly(0);
  }

  private MemoryRegion register(TransferEngine owner, Valve valve, DeviceMemory memory) {
    Probe<MemoryRegion> probe = stage().probe("a region", owner.register(memory, Access.LOCAL));
    probe.awaitTerminal();
    if (probe.values().isEmpty() && !valve.declares(memory.device())) {
      abort("the backend serves no memory of devices that it is given access to");
    }
    return probe.awaitOne();
  }

  /** The NICs that carried writes from there. */
  private Set<Integer> nicsOf(Duo duo, Valve valve, MemoryRegion source) {
    int before = valve.taken().size();
    Imm imm = stage().imm();
    Probe<Void> arrivals = stage().probe("arrivals", duo.target().counter(imm).next(WRITES));
    for (int i = 0; i < WRITES; i++) {
      RemoteSlice to = duo.sink(i * 64L, 32);
      stage().done(duo.origin(), WriteImm.of(source.slice(i * 64L, 32), to, imm));
    }
    arrivals.awaitCompletion();
    return valve.taken().stream()
        .skip(before)
        .map(Valve.Taken::nic)
        .collect(Collectors.toUnmodifiableSet());
  }

  @Test
  final void r23_3_theLastOneClosesTheEngine() {
    Valve valve = new Valve().holdReports(piece -> true);
    Duo duo = Duo.open(stage(), 1, valve);
    Probe<Write> write = stage().probe("a write", duo.origin().submit(duo.write(0, 10)));
    Probe<Void> claim = stage().probe("a claim", duo.origin().counter(stage().imm()).next(1));
    stage().patience().until("it done", () -> valve.ended() == 1);
    valve.breakNic(0);
    assertThat(write.awaitError(TransferFailedException.class).isRetryable()).isFalse();
    claim.awaitError(TransferException.class);
    stage().patience().until("it closed", duo.origin()::isClosed);
  }

  @Test
  final void r23_7_noLessDoesAControlChannelThatHasFailed() {
    Valve valve = new Valve();
    Duo duo = Duo.open(stage(), 1, valve);
    stage().done(duo.origin(), duo.write(0, 1));
    Probe<Void> claim = stage().probe("a claim", duo.origin().counter(stage().imm()).next(1));
    Probe<Message> messages = stage().probe("messages", duo.origin().messages());
    valve.breakChannel();
    String reason = claim.awaitError(TransferException.class).toString();
    assertThat(reason).as("why it has closed").contains(ValveDomain.FAILURE_TEXT);
    messages.awaitTerminal();
    stage().patience().until("it closed", duo.origin()::isClosed);
  }
}
