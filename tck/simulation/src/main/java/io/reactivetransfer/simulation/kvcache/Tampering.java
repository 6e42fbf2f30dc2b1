package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.spi.Backend;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Where a saboteur can get between the hand-over and what is around it. Does nothing at first. */
interface Tampering {

  /** Nobody is at it. */
  Tampering NONE = new Tampering() {};

  /** What an engine runs on. */
  default Backend backend(Backend sound) {
    return sound;
  }

  /** What the hand-over runs on. */
  default TransferEngine engine(TransferEngine sound) {
    return sound;
  }

  /** What its deadlines go by. */
  default Scheduler timers(Scheduler sound) {
    return sound;
  }

  /** What it calls when pages are free. */
  default Runnable whenQuiet(Runnable sound) {
    return sound;
  }

  /** What it signals of an order. */
  default <T> Mono<T> received(Mono<T> sound) {
    return sound;
  }
}
