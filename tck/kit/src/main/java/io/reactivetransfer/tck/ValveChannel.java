package io.reactivetransfer.tck;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.ControlSink;
import java.nio.ByteBuffer;

/** A control channel behind a {@link Valve}, which refuses messages as the NICs do. */
final class ValveChannel extends ForwardingControl {

  private final ControlContext context;
  private final Valve valve;
  private int refusals;
  private boolean broken;

  ValveChannel(ControlChannel inner, ControlContext context, Valve valve) {
    super(inner);
    this.context = context;
    this.valve = valve;
  }

  @Override
  public int poll(ControlSink sink) {
    int said = 0;
    Valve.Heard next;
    while ((next = valve.nextHeard()) != null) {
      sink.received(next.peer(), next.frame());
      said++;
    }
    return said + endSessions(sink) + super.poll(sink);
  }

  private int endSessions(ControlSink sink) {
    int ended = 0;
    EngineId peer;
    while ((peer = valve.nextEndedSession()) != null) {
      super.disconnect(peer, ValveDomain.FAILURE_TEXT);
      sink.peerLost(peer, ValveDomain.FAILURE_CODE, ValveDomain.FAILURE_TEXT);
      ended++;
    }
    if (valve.isChannelBroken() && !broken) {
      broken = true;
      sink.channelFailed(ValveDomain.FAILURE_CODE, ValveDomain.FAILURE_TEXT);
      ended++;
    }
    return ended;
  }

  @Override
  public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
    if (valve.refuses(refusals)) {
      refusals++;
      context.doorbell().ring();
      return false;
    }
    boolean taken = super.send(to, at, bytes);
    refusals = taken ? 0 : refusals;
    return taken;
  }
}
