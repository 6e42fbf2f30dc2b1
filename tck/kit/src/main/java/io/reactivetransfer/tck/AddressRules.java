package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.tck.process.EngineProcess;
import io.reactivetransfer.tck.process.FreePorts;
import io.reactivetransfer.tck.process.Waiting;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Chapter 25, where it matters at which address a process is. */
abstract class AddressRules extends ProcessRules {

  private static final String HERE = "127.0.0.1";
  private static final String BEYOND = "127.0.0.2";

  /** What was said while the network was cut may be waited for until then; it is tried again. */
  private static final Duration CONNECT = ProcessStage.LIVENESS.multipliedBy(5);

  AddressRules() {}

  @Test
  final void r25_6_soItIsAtTheSameAddressAndNobodyElseNotices() {
    stage().require(Capability.LOST_PEERS);
    stage().requireAddresses();
    // What is killed is found by its connections; who only starts late is not to be found lost.
    reopen(ProcessStage.LIVENESS.multipliedBy(10));
    int port = FreePorts.inARow(stage().ports());
    EngineProcess bystander = stage().start();
    EngineProcess first = stage().startAt(HERE, port, ProcessStage.CALM);
    RegionDescriptor old = first.memory("m", BYTES);
    Pending unharmed = waitFor(bystander);
    RemoteRegion view = stage().engine().remote(old);
    stage().writeUntilDone(view, OTHER);
    first.kill();
    EngineProcess second = stage().startAt(HERE, port, ProcessStage.CALM);
    RegionDescriptor fresh = second.memory("m", BYTES);
    assertThat(second.id()).as("engine id").isNotEqualTo(first.id());
    assertWritable(second, "m", stage().engine().remote(fresh), WRITTEN);
    stage().memory().fill(AFTERWARDS);
    assertNames(
        first,
        stage()
            .probe("a write to who was there before", stage().writes(view, OTHER, 1))
            .awaitError(PeerUnreachableException.class));
    assertThat(second.call("values", "m")).as("bytes").isEqualTo(String.valueOf(WRITTEN));
    unharmed.stream().assertPending();
    unharmed.claim().assertPending();
    assertThat(unharmed.states().values())
        .as("states of who was never touched")
        .noneMatch(PeerState.Lost.class::isInstance);
  }

  @Test
  final void r25_10_whoIsCutOffIsLostOnBothSidesAndComesBack() throws IOException {
    stage().require(Capability.LOST_PEERS);
    stage().requireAddresses();
    reopen(ProcessStage.LIVENESS, CONNECT);
    List<Cut> network = Cut.inARow(BEYOND, HERE, stage().ports());
    try {
      int port = network.getFirst().port();
      EngineProcess child = stage().startAt(BEYOND, port, ProcessStage.LIVENESS);
      Pending pending = waitFor(child);
      String here = stage().engine().address().toText();
      CompletableFuture<String> claim = child.ask("count", IMM.value(), MANY, "from", here);
      child.call("await", here, "Alive");
      network.forEach(each -> each.set(true));
      assertEnds(pending, child);
      assertThat(Waiting.failure(claim, stage().patience().signal()))
          .as("what the other side is told")
          // On a busy machine this side may have given it up, and said so, before it was cut off.
          .message()
          .containsAnyOf(
              PeerUnreachableException.class.getSimpleName(),
              TransferFailedException.class.getSimpleName())
          .contains(stage().engine().id().toShortString());
      network.forEach(each -> each.set(false));
      stage().awaitState(pending.states(), PeerState.Alive.class);
      RemoteRegion again = stage().engine().remote(child.memory("n", BYTES));
      assertWritable(child, "n", again, AFTERWARDS);
    } finally {
      network.forEach(Cut::close);
    }
  }
}
