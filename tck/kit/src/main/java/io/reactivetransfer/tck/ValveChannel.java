package io.reactivetransfer.tck;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.ControlSink;
import java.nio.ByteBuffer;

/** A control channel behind a {@link Valve}, which refuses messages as the NICs do. */
final class ValveChannel implements ControlChannel {

  private final ControlChannel inner;
  private final ControlContext context;
  private final Valve valve;
  private int refusals;

  ValveChannel(ControlChannel inner, ControlContext context, Valve valve) {
    this.inner = inner;
    this.context = context;
    this.valve = valve;
  }

  @Override
  public HostPort address() {
    return inner.address();
  }

  @Override
  public int maxMessageBytes() {
    return inner.maxMessageBytes();
  }

  @Override
  public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
    if (valve.refuses(refusals)) {
      refusals++;
      context.doorbell().ring();
      return false;
    }
    boolean taken = inner.send(to, at, bytes);
    refusals = taken ? 0 : refusals;
    return taken;
  }

  @Override
  public void find(long token, HostPort at) {
    inner.find(token, at);
  }

  @Override
  public void disconnect(EngineId peer, String reason) {
    inner.disconnect(peer, reason);
  }

  @Override
  public int poll(ControlSink sink) {
    return inner.poll(sink);
  }

  @Override
  public void close() {
    inner.close();
  }
}
