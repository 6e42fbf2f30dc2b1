package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Chapter 17, continued: what NICs are told to let go of, and resolve again. */
abstract class DriverReleaseRules extends RuleGroup {

  private static final int RELEASES = 10_000;

  /** How often a peer is released, the first ones of which may leave what stays. */
  private static final int PEERS = 24;

  private static final int WARM_UP = 4;

  DriverReleaseRules(TransferConformance kit) {
    super(kit);
  }

  @Test
  final void r17_27_releasedMemoryLeavesTheRestAsItWas() {
    Wire wire = Wire.open(stage(), Wire.LENGTH, 0);
    wire.connect();
    RemoteMemory kept = wire.ends().target();
    byte[] key = wire.ends().local().key();
    for (int i = 0; i < RELEASES; i++) {
      wire.origin()
          .call(nic -> {
            nic.release(nic.resolve(wire.ends().peer(), key, Wire.LENGTH));
            return true;
          });
    }
    RemoteMemory used =
        wire.origin().call(nic -> nic.resolve(wire.ends().peer(), key, Wire.LENGTH));
    writeTo(wire, used, 1);
    wire.origin()
        .call(nic -> {
          nic.release(used);
          return true;
        });
    writeTo(wire, kept, 2);
    RemoteMemory again =
        wire.origin().call(nic -> nic.resolve(wire.ends().peer(), key, Wire.LENGTH));
    writeTo(wire, again, 3);
  }

  private static void writeTo(Wire wire, RemoteMemory target, int token) {
    wire.post(
        new Operation()
            .between(wire.ends().source(), target)
            .range(token * 100L, token * 100L, 50)
            .token(token)
            .withImm(token));
    wire.until(
        "a report of write " + token,
        () ->
            wire.origin().hasReported("written " + token)
                || wire.origin().hasReported("failed " + token));
    assertThat(wire.origin().reports())
        .as("reports, with memory of the same key released")
        .contains("written " + token);
    wire.until("its immediate", () -> wire.target().hasReported("imm " + token));
  }

  @Test
  final void r17_33_aReleasedPeerLeavesNothingAndIsReachedAgain() {
    Wire wire = Wire.open(stage(), Wire.LENGTH, 0);
    wire.connect();
    Wire beside =
        Wire.between(
            wire.origin(),
            Wire.nic(stage(), 3),
            stage(),
            stage().memory(Wire.LENGTH),
            stage().memory(Wire.LENGTH),
            0);
    Footprint before = null;
    for (int round = 0; round < PEERS; round++) {
      if (round == WARM_UP && Footprint.canBeTaken()) {
        before = Footprint.now();
      }
      release(wire, round % 2 == 0);
      wire = again(wire);
      DriverReportRules.writeAgain(wire);
      writeTo(beside, beside.ends().target(), round);
    }
    if (before != null) {
      expectNoMoreThan(before);
    }
  }

  /**
   * Half of the peers were given up before, and half were not: one of these may leave something.
   */
  private void expectNoMoreThan(Footprint before) {
    String[] left = {""};
    stage()
        .patience()
        .until(
            "nothing left of released peers",
            () -> {
              left[0] = Footprint.now().leftSince(before, Set.of(), (PEERS - WARM_UP) / 2);
              return left[0].isEmpty();
            });
  }

  private static void release(Wire wire, boolean isGivenUp) {
    wire.origin()
        .call(nic -> {
          if (isGivenUp) {
            nic.disconnect(wire.ends().peer(), "given up by the conformance kit");
          }
          nic.release(wire.ends().target());
          nic.release(wire.ends().peer());
          return true;
        });
  }

  private static Wire again(Wire wire) {
    byte[] address = wire.target().call(nic -> nic.address());
    RemotePeer peer = wire.origin().call(nic -> nic.resolve(wire.target().engine(), 0, address));
    Wire.Ends old = wire.ends();
    byte[] key = old.local().key();
    RemoteMemory target = wire.origin().call(nic -> nic.resolve(peer, key, Wire.LENGTH));
    return new Wire(
        wire.stage(),
        wire.origin(),
        wire.target(),
        new Wire.Ends(old.source(), old.local(), peer, target),
        wire.from(),
        wire.to());
  }
}
