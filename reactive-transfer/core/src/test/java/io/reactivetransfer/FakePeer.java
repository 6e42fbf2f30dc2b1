package io.reactivetransfer;

import reactor.core.publisher.Flux;

/** A peer that has an id. */
record FakePeer(long number) implements Peer {

  @Override
  public EngineId id() {
    return new EngineId(0, number);
  }

  @Override
  public EngineId engine() {
    throw new IllegalStateException("not used");
  }

  @Override
  public PeerAddress address() {
    throw new IllegalStateException("not used");
  }

  @Override
  public Flux<PeerState> state() {
    throw new IllegalStateException("not used");
  }

  @Override
  public PeerState present() {
    throw new IllegalStateException("not used");
  }

  @Override
  public TrafficStats stats() {
    throw new IllegalStateException("not used");
  }
}
