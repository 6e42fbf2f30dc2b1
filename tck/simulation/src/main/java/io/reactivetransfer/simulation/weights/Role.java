package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.TransferEngine;
import reactor.core.publisher.Mono;

/** What a process does in the pipeline. */
abstract class Role {

  final WeightsNode node;
  final WeightsWorld world;

  /** Which trainer, rank or controller. */
  final int index;

  Role(WeightsNode node, int index) {
    this.node = node;
    this.world = node.world();
    this.index = index;
  }

  /** Registers what the application registers itself. */
  abstract Mono<Void> register(TransferEngine engine);

  /** How many regions that are. */
  abstract int regions();

  /** Begins, on an engine that is open. */
  abstract void begin(TransferEngine engine);

  /** Closes what runs on the engine, for good. */
  abstract void retire();

  /** Whether nothing of it is open. */
  abstract boolean isRetired();

  /** Whether what it serves is open. */
  abstract boolean isReady();

  /** A NIC reads memory of it. */
  abstract void reading(Strip strip, long offset, long length);

  /** A NIC is about to write to memory of it. */
  abstract void writing(Strip strip, long offset, long length);
}
