package io.reactivetransfer.micrometer;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TrafficStats;
import java.time.Duration;
import reactor.core.publisher.Flux;

/** One to which a test has written so much. */
final class FakePeer implements Peer {

  private static final EngineId ID = new EngineId(0, 1);

  private final String name;
  private PeerState state;
  private long writes;
  private long messages;

  private FakePeer(String name, PeerState state) {
    this.name = name;
    this.state = state;
  }

  static FakePeer alive(String name) {
    return new FakePeer(name, new PeerState.Alive());
  }

  static FakePeer unknown(String name) {
    return new FakePeer(name, new PeerState.Unknown());
  }

  FakePeer waits(long messagesWaiting) {
    messages = messagesWaiting;
    return this;
  }

  FakePeer wrote(long more) {
    writes += more;
    return this;
  }

  void lose() {
    state = new PeerState.Lost(new PeerUnreachableException("lost by a test"));
  }

  String name() {
    return name;
  }

  @Override
  public EngineId id() {
    return ID;
  }

  @Override
  public EngineId engine() {
    return ID;
  }

  @Override
  public PeerAddress address() {
    return new PeerAddress("fake", ID, new HostPort(name, 1));
  }

  @Override
  public Flux<PeerState> state() {
    return Flux.just(state);
  }

  @Override
  public PeerState present() {
    return state;
  }

  @Override
  public TrafficStats stats() {
    return new Figures(
        0, writes, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, Duration.ZERO, 0, 0, messages, 0, 0);
  }

  private record Figures(
      long writesInFlight,
      long writesPosted,
      long bytesPosted,
      long writesFailed,
      long writesPostedAgain,
      long credits,
      long refusals,
      long arrivals,
      long bytesArrived,
      long abortsSent,
      long abortsReceived,
      long transfersWaiting,
      long transfersQueued,
      Duration timeQueued,
      long messagesSent,
      long messageBytesSent,
      long messagesWaiting,
      long messagesReceived,
      long messageBytesReceived)
      implements TrafficStats {}
}
