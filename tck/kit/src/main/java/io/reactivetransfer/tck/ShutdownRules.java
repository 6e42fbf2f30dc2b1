package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Message;
import io.reactivetransfer.Outcome;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** Chapter 15: shutdown. */
abstract class ShutdownRules extends RuleGroup {

  private static final int ENGINES = 8;
  private static final Duration SHORT = Duration.ofMillis(100);

  ShutdownRules(TransferConformance kit) {
    super(kit);
  }

  @Test
  final void r15_1_closeEndsWhateverIsPending() {
    TransferEngine target = stage().open(1, options -> options.messageCredits(1));
    Duo duo = Duo.of(stage(), stage().open(1), target);
    Imm imm = stage().imm();
    stage().complete(duo.origin().send(duo.peer(), ByteBuffer.allocate(4)));
    Probe<Message> messages = stage().probe("messages", duo.origin().messages());
    Probe<Void> waiting =
        stage().probe("send", duo.origin().send(duo.peer(), ByteBuffer.allocate(4)));
    Probe<Transfer> idle =
        stage()
            .probe(
                "a stream that waits for upstream", duo.origin().submit(Upstream.open(List.of())));
    Probe<Transfer> lazy =
        stage()
            .probe("a stream without demand", duo.origin().submit(Upstream.of(duo.writes(3))), 0);
    Probe<Void> claim = stage().claim(duo.origin(), imm, 1);
    Probe<Long> rounds = stage().probe("every", duo.origin().counter(imm).every(1));
    Probe<Long> unasked =
        stage().probe("every without demand", duo.origin().counter(imm).every(1), 0);
    Probe<PeerState> states =
        stage().probe("the states of a peer without demand", duo.peer().state(), 0);
    stage().complete(duo.origin().close());
    messages.awaitCompletion();
    states.awaitCompletion();
    for (Probe<?> pending : List.of(waiting, idle, lazy, claim, rounds, unasked)) {
      pending.awaitError(TransferException.class);
    }
    claim.awaitError(TransferRejectedException.class);
    Probe<Message> unread = stage().probe("messages without demand", target.messages(), 0);
    stage().complete(target.close());
    unread.awaitCompletion();
    for (Probe<?> ended :
        List.of(unread, messages, waiting, idle, lazy, claim, rounds, unasked, states)) {
      ended.assertOneTerminalSignal();
    }
  }

  @Test
  final void r15_2_afterCloseEverythingIsRejected() {
    Duo duo = Duo.open(stage(), 1);
    Imm imm = stage().imm();
    Write before = duo.write(0, 10);
    MemoryRegion region = duo.from().region();
    Peer stranger = duo.origin().peer(stage().open(1).address());
    stage().complete(duo.origin().close());
    assertThat(duo.origin().isClosed()).isTrue();
    List<Mono<?>> late =
        List.of(
            Mono.defer(() -> duo.origin().submit(before)),
            Mono.defer(() -> duo.origin().submit(Upstream.of(List.of(before))).then()),
            Mono.defer(() -> duo.origin().register(stage().memory(10))),
            Mono.defer(() -> duo.origin().send(duo.peer(), ByteBuffer.allocate(4))),
            Mono.defer(() -> duo.origin().counter(imm).next(1)),
            Mono.defer(() -> duo.origin().counter(imm).every(1).next()),
            Mono.defer(() ->
                duo.origin()
                    .submitEach(Upstream.of(List.of(before)))
                    .map(Outcome::transfer)
                    .next()),
            Mono.defer(() -> duo.origin().messages().next()),
            Mono.defer(() -> duo.origin().barrier(PeerGroup.of(stranger))),
            Mono.defer(
                () -> duo.origin().watch(Arena.ofAuto().allocate(Long.BYTES, Long.BYTES)).next()));
    for (Mono<?> each : late) {
      Probe<?> probe = stage().probe("late work " + late.indexOf(each), each);
      probe.awaitError(TransferRejectedException.class);
      probe.assertOneTerminalSignal();
    }
    List<Publisher<?>> ends =
        List.of(
            duo.peer().state(),
            stranger.state(),
            duo.origin().peer(stage().open(1).address()).state(),
            region.quiesced(),
            region.revoke(),
            duo.origin().counter(imm).discard());
    for (Publisher<?> each : ends) {
      Probe<?> probe = stage().probe("a late subscription " + ends.indexOf(each), each);
      probe.awaitTerminal();
      probe.assertOneTerminalSignal();
    }
    stage().complete(duo.origin().close());
    stage().complete(duo.from().region().close());
  }

  @Test
  final void r15_3_closeWaitsForWhatIsInFlight() {
    Valve valve = new Valve().holdReports(w -> true);
    Duo duo = Duo.open(stage(), 1, valve);
    Probe<Write> write = stage().probe("a write", duo.origin().submit(duo.write(0, 10)));
    stage().patience().until("a write posted", () -> valve.inFlight() == 1);
    Probe<Void> close = stage().probe("close", duo.origin().close());
    Probe<Void> again = stage().probe("close again", duo.origin().close());
    close.assertSilent();
    again.assertPending();
    valve.open();
    close.awaitCompletion();
    again.awaitCompletion();
    write.awaitTerminal();
    write.assertOneTerminalSignal();
  }

  @Test
  final void r15_4_closeDoesNotWaitForEver() {
    Valve valve = new Valve().holdReports(w -> true);
    Duo duo = Duo.open(stage(), 1, valve, options -> options.closeTimeout(SHORT));
    Probe<Write> write = stage().probe("a write", duo.origin().submit(duo.write(0, 10)));
    Probe<Write> stream =
        stage().probe("a stream", duo.origin().submit(Upstream.open(List.of(duo.write(0, 10)))));
    stage().patience().until("two writes posted", () -> valve.inFlight() == 2);
    stage().complete(duo.origin().close());
    for (Probe<Write> posted : List.of(write, stream)) {
      posted.awaitError(TransferFailedException.class);
      posted.assertOneTerminalSignal();
    }
  }

  @Test
  final void r15_5_closeMayBeCalledFromASignal() {
    Duo duo = Duo.open(stage(), 1);
    stage().complete(duo.origin().submit(duo.write(0, 10)).flatMap(write -> duo.origin().close()));
  }

  @Test
  final void r15_6_aClosedEngineLeavesNoThread() {
    stage().complete(stage().open(1).close());
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    for (int i = 0; i < ENGINES; i++) {
      stage().complete(stage().open(1).close());
    }
    stage()
        .patience()
        .until(
            "no threads of 8 engines that were closed",
            () -> {
              Set<Thread> left = new HashSet<>(Thread.getAllStackTraces().keySet());
              left.removeAll(before);
              return left.size() < ENGINES / 2; // pools of others may have grown meanwhile
            });
  }
}
