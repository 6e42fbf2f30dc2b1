package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.kvcache.KvCacheOptions;
import io.reactivetransfer.kvcache.KvDecode;
import io.reactivetransfer.kvcache.KvLayout;
import io.reactivetransfer.kvcache.KvOrder;
import io.reactivetransfer.kvcache.KvWritten;
import io.reactivetransfer.spi.Backend;
import java.util.List;
import java.util.function.IntConsumer;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
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

  /** What it grants to others. */
  default KvCacheOptions.Builder grants(KvCacheOptions.Builder sound) {
    return sound;
  }

  /** A prefill role is opened on an engine. */
  default void opens(EngineId engine, String model, KvLayout layout) {}

  /** Which of several nodes that hold the same a target asks. */
  default Peer replica(List<Peer> replicas, int targetRank) {
    return KvOrder.replica(replicas, targetRank);
  }

  /** What a node calls itself. */
  default String name(String sound) {
    return sound;
  }

  /** What it tells of each layer that is here. */
  default IntConsumer onLayer(IntConsumer sound) {
    return sound;
  }

  /** What it tells of each layer that has gone out. */
  default Flux<KvWritten> handedOver(Flux<KvWritten> sound) {
    return sound;
  }

  /** What it signals when nobody wants a request any more. */
  default Mono<Void> ended(Mono<Void> sound) {
    return sound;
  }

  /** What it signals when the source pages of a hand-over are free. */
  default Mono<Void> quiet(Mono<Void> sound) {
    return sound;
  }

  /** What a handler returned. */
  default Publisher<?> served(Publisher<?> sound) {
    return sound;
  }

  /** How many requests are served at once. */
  default int concurrency(int sound) {
    return sound;
  }

  /** What it signals when all that was registered for others is closed. */
  default Mono<Void> closed(Mono<Void> sound) {
    return sound;
  }

  /** The same of one decode role. */
  default Mono<Void> decodeClosed(Mono<Void> sound) {
    return sound;
  }

  /** What orders of nodes that come and go are made by. */
  default Routing routing(KvDecode decode, Flux<List<Peer>> prefills, int attempts) {
    return Routing.of(decode, prefills, attempts);
  }

  /** What it signals of an order. */
  default <T> Mono<T> received(Mono<T> sound) {
    return sound;
  }
}
