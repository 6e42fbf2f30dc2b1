package io.reactivetransfer.engine;

import io.reactivetransfer.EngineStats;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.reactivestreams.Publisher;

/**
 * An engine for one race: its worker is turned by one of the racing threads, the other one does
 * what a user does. Afterwards it says what there is.
 */
final class RaceRig {

  static final Imm IMM = Imm.of(1);

  final EngineByHand hand = new EngineByHand();
  final MemoryRegion source;
  final RemoteRegion target;

  /** A write of one byte. */
  final WriteImm write;

  private final List<Probe<?>> probes = new ArrayList<>();

  RaceRig() {
    hand.open(1, o -> o.window(4));
    hand.nic(0).completing = true;
    source = hand.region(64);
    target = hand.remote(2);
    write = WriteImm.of(source.slice(0, 1), target.slice(0, 1), IMM);
  }

  /** Turns the worker until it has nothing to do. */
  void turn() {
    hand.turnWorker();
  }

  <T> Probe<T> probe(long demand) {
    Probe<T> probe = new Probe<>(demand);
    probes.add(probe);
    return probe;
  }

  <T> Probe<T> subscribe(Publisher<T> publisher) {
    Probe<T> probe = probe(Long.MAX_VALUE);
    publisher.subscribe(probe);
    return probe;
  }

  /** The next poll finds that this many writes have arrived. */
  void arrive(int writes) {
    for (int i = 0; i < writes; i++) {
      hand.nic(0).arrive(WireImm.encode(IMM.value(), 1));
    }
  }

  void receive(ByteBuffer frame) {
    hand.control().receive(hand.peer(2).id(), frame);
  }

  /** Nothing, if all is as it must be when nothing goes on any more; otherwise what is wrong. */
  String leftovers() {
    turn();
    EngineStats stats = hand.stats();
    String left = "";
    if (stats.transfersInFlight() != 0 || stats.writesInFlight() != 0) {
      left += ", in flight: " + stats;
    }
    if (stats.pendingClaims() != 0) {
      left += ", pending: " + stats;
    }
    for (Probe<?> probe : probes) {
      try {
        probe.assertLawful();
      } catch (AssertionError e) {
        left += ", unlawful: " + e.getMessage();
      }
    }
    return left;
  }
}
