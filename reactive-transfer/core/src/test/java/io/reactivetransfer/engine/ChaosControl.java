package io.reactivetransfer.engine;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.ControlSink;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;

/** A control channel that refuses and loses peers, as a seed says; peers greet whoever greets. */
final class ChaosControl implements ControlChannel {

  private static final int NICS = 2;

  private record Greeted(EngineId by, ByteBuffer greeting) {}

  private final Random random;
  private final ChaosNic.Chances chances;
  private final ControlContext context;
  private final Queue<String> violations;
  private final ArrayDeque<Greeted> greeted = new ArrayDeque<>();
  private final List<EngineId> sessions = new ArrayList<>();
  private boolean closed;

  ChaosControl(
      long seed, ChaosNic.Chances chances, ControlContext context, Queue<String> violations) {
    this.random = new Random(seed);
    this.chances = chances;
    this.context = context;
    this.violations = violations;
  }

  private boolean chance(int inThousand) {
    return random.nextInt(1_000) < inThousand;
  }

  private void called() {
    if (closed) {
      violations.add("the control channel was called after close");
    }
  }

  @Override
  public HostPort address() {
    return new HostPort("here", 7400);
  }

  @Override
  public int maxMessageBytes() {
    return context.maxMessageBytes();
  }

  @Override
  public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
    called();
    if (chance(chances.refuse())) {
      context.doorbell().ring();
      return false;
    }
    if (!sessions.contains(to)) {
      sessions.add(to);
    }
    int known = bytes.remaining() < 2 * Integer.BYTES ? 0 : bytes.getInt(1 + Integer.BYTES);
    if (bytes.get(0) == ControlFrame.HELLO && known == 0) {
      greeted.add(new Greeted(to, EngineByHand.hello(to, NICS, 1, bytes.getInt(1))));
      context.doorbell().ring();
    }
    return true;
  }

  @Override
  public void find(long token, HostPort at) {
    violations.add("nobody looks for " + at);
  }

  @Override
  public void disconnect(EngineId peer, String reason) {
    called();
    sessions.remove(peer);
    greeted.removeIf(greeting -> greeting.by().equals(peer));
  }

  @Override
  public int poll(ControlSink sink) {
    called();
    int count = greeted.size();
    Greeted next;
    while ((next = greeted.poll()) != null) {
      sink.received(next.by(), next.greeting());
    }
    if (!sessions.isEmpty() && chance(chances.lose())) {
      EngineId lost = sessions.remove(random.nextInt(sessions.size()));
      sink.peerLost(lost, 1, "chaos");
      count++;
    }
    return count;
  }

  @Override
  public void close() {
    called();
    closed = true;
  }
}
