package io.reactivetransfer.simulation.network;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.ControlSink;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** What a control channel has to tell its engine at the next poll. */
sealed interface ControlReport {

  /** Tells it. */
  void tell(ControlSink sink);

  /** Whom it is of, if that is given up with a session. */
  default @Nullable EngineId peer() {
    return null;
  }

  /**
   * A message has come.
   *
   * @param session the end that it came to
   * @param counted whether it takes room at its sender
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Received(ControlEnd session, byte[] bytes, boolean counted) implements ControlReport {
    @Override
    public void tell(ControlSink sink) {
      if (counted) {
        session.taken();
      }
      sink.received(session.remote(), ByteBuffer.wrap(bytes).asReadOnlyBuffer());
    }

    @Override
    public EngineId peer() {
      return session.remote();
    }
  }

  /** A session is over, or did not come about. */
  record Lost(EngineId peer, String text) implements ControlReport {
    @Override
    public void tell(ControlSink sink) {
      sink.peerLost(peer, ControlEnd.LOST, text);
    }
  }

  /** Who is where someone was looked for, unless the session is over by now. */
  record Found(SimulatedControl at, long token, EngineId engine) implements ControlReport {
    @Override
    public void tell(ControlSink sink) {
      if (at.isInSessionWith(engine)) {
        sink.found(token, engine);
      } else {
        sink.notFound(token, ControlEnd.LOST, "the session was lost at once");
      }
    }
  }

  /** Nobody is there. */
  record NotFound(long token, String text) implements ControlReport {
    @Override
    public void tell(ControlSink sink) {
      sink.notFound(token, ControlEnd.LOST, text);
    }
  }
}
