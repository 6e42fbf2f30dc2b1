package io.reactivetransfer;

import reactor.core.publisher.Flux;

/**
 * Another engine, as seen from this one. Made by {@link TransferEngine#peer}; the same address
 * gives the same object. Nothing is connected before the first transfer or message.
 */
public interface Peer {

  /** Its id; a restarted process has another one. */
  EngineId id();

  /** The engine that sees it, and that alone takes it: others have a peer of their own for it. */
  EngineId engine();

  /** Its address. */
  PeerAddress address();

  /**
   * What is known of it: the present state at once, then every change; of changes that come faster
   * than they are asked for, the last. While there is a subscriber, the peer is asked for signs of
   * life even when nothing is sent to it. Signals on the engine's signal scheduler; completes when
   * the engine closes. Cancelling ends the subscriber's interest.
   */
  Flux<PeerState> state();

  /** What is known of it now, which {@link #state()} would emit first. Nobody is asked for it. */
  PeerState present();

  /**
   * What has gone there and come from there, since this engine knows it. From any thread, at any
   * time.
   */
  TrafficStats stats();
}
