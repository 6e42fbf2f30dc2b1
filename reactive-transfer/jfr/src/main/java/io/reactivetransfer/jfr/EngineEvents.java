package io.reactivetransfer.jfr;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.Nic;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferException;
import java.time.Duration;
import jdk.jfr.EventType;
import org.jspecify.annotations.Nullable;

/**
 * Makes events of JDK Flight Recorder of what becomes of an engine: a recorder that engines are
 * opened with. One object may serve several engines.
 *
 * <pre>{@code
 * EngineOptions options = EngineOptions.builder().recorder(EngineEvents.recorder()).build();
 * }</pre>
 *
 * <p>Each thing that an {@link EngineRecorder} is told has an event of its name, such as {@code
 * io.reactivetransfer.PeerLost}; {@code docs/observability.md} lists them with their fields. All
 * are off until a recording enables them, by {@code docs/observability/reactive-transfer.jfc} or
 * one by one; until then a call is a look at a flag, and nothing is allocated for a stream, neither
 * here nor by the engine, as long as no more than 256 are under way at once. Nothing is done for a
 * write in either case, but that the engine adds up bytes.
 *
 * <p>Events are committed on the thread that tells, which is the NIC's; Flight Recorder writes them
 * to a buffer of that thread. Needs the module {@code jdk.jfr}, which a runtime image made by jlink
 * may lack.
 */
public final class EngineEvents implements EngineRecorder {

  // Read here, so that the classes are loaded before a NIC's thread needs them.
  private static final EventType OPENED = EventType.getEventType(EngineOpenedEvent.class);
  private static final EventType CLOSED = EventType.getEventType(EngineClosedEvent.class);
  private static final EventType FOUND = EventType.getEventType(PeerFoundEvent.class);
  private static final EventType LOST = EventType.getEventType(PeerLostEvent.class);
  private static final EventType NIC = EventType.getEventType(NicFailedEvent.class);
  private static final EventType WAY = EventType.getEventType(WayLostEvent.class);
  private static final EventType FAILED = EventType.getEventType(TransferFailedEvent.class);
  private static final EventType REJECTED = EventType.getEventType(TransferRejectedEvent.class);
  private static final EventType STREAM = EventType.getEventType(StreamEndedEvent.class);
  private static final EventType OVERDUE = EventType.getEventType(RevocationOverdueEvent.class);
  private static final EventType STALL = EventType.getEventType(NicThreadStalledEvent.class);
  private static final EventType DEFECT = EventType.getEventType(DefectEvent.class);

  private EngineEvents() {}

  /** One for as many engines as are opened with it. */
  public static EngineEvents recorder() {
    return new EngineEvents();
  }

  @Override
  public void opened(TransferEngine engine) {
    if (OPENED.isEnabled()) {
      EngineOpenedEvent event = new EngineOpenedEvent();
      event.of(engine.id());
      event.backend = engine.backend();
      event.commit();
    }
  }

  @Override
  public void closed(TransferEngine engine, @Nullable Throwable reason) {
    if (CLOSED.isEnabled()) {
      EngineClosedEvent event = new EngineClosedEvent();
      event.of(engine.id());
      event.reason = textOf(reason);
      event.commit();
    }
  }

  @Override
  public void peerFound(Peer peer) {
    if (FOUND.isEnabled()) {
      PeerFoundEvent event = new PeerFoundEvent();
      event.of(peer);
      event.commit();
    }
  }

  @Override
  public void peerLost(Peer peer, PeerUnreachableException reason) {
    if (LOST.isEnabled()) {
      PeerLostEvent event = new PeerLostEvent();
      event.of(peer);
      event.reason = textOf(reason);
      event.commit();
    }
  }

  @Override
  public void nicFailed(EngineId engine, Nic nic, String reason) {
    if (NIC.isEnabled()) {
      NicFailedEvent event = new NicFailedEvent();
      event.of(engine);
      event.nic = nic.name();
      event.reason = reason;
      event.commit();
    }
  }

  @Override
  public void wayLost(Peer peer, Nic nic, String reason) {
    if (WAY.isEnabled()) {
      WayLostEvent event = new WayLostEvent();
      event.of(peer);
      event.nic = nic.name();
      event.reason = reason;
      event.commit();
    }
  }

  @Override
  public void transferFailed(Peer peer, Nic nic, TransferException reason) {
    if (FAILED.isEnabled()) {
      TransferFailedEvent event = new TransferFailedEvent();
      event.of(peer);
      event.nic = nic.name();
      event.failure = kindOf(reason);
      event.reason = textOf(reason);
      event.commit();
    }
  }

  @Override
  public void transferRejected(EngineId engine, TransferException reason) {
    if (REJECTED.isEnabled()) {
      TransferRejectedEvent event = new TransferRejectedEvent();
      event.of(engine);
      event.failure = kindOf(reason);
      event.reason = textOf(reason);
      event.commit();
    }
  }

  @Override
  public boolean isToldOfStreams() {
    return STREAM.isEnabled();
  }

  @Override
  public void streamEnded(EngineId engine, StreamEnd end) {
    if (STREAM.isEnabled()) {
      StreamEndedEvent event = new StreamEndedEvent();
      event.of(engine);
      event.transfers = end.transfers();
      event.bytes = end.bytes();
      event.transfersNotDone = end.transfersNotDone();
      event.took = end.duration().toNanos();
      event.queued = end.queued().toNanos();
      event.isPosted = end.isPosted();
      event.isCancelled = end.isCancelled();
      event.failure = kindOf(end.failure());
      event.reason = textOf(end.failure());
      event.commit();
    }
  }

  @Override
  public void revocationOverdue(Peer peer) {
    if (OVERDUE.isEnabled()) {
      RevocationOverdueEvent event = new RevocationOverdueEvent();
      event.of(peer);
      event.commit();
    }
  }

  @Override
  public void stalled(EngineId engine, Duration took) {
    if (STALL.isEnabled()) {
      NicThreadStalledEvent event = new NicThreadStalledEvent();
      event.of(engine);
      event.took = took.toNanos();
      event.commit();
    }
  }

  @Override
  public void defect(EngineId engine, String text) {
    if (DEFECT.isEnabled()) {
      DefectEvent event = new DefectEvent();
      event.of(engine);
      event.text = text;
      event.commit();
    }
  }

  /** An anonymous class has no simple name, and empty is what has not failed. */
  private static String kindOf(@Nullable Throwable failure) {
    if (failure == null) {
      return "";
    }
    String simple = failure.getClass().getSimpleName();
    String full = failure.getClass().getName();
    return simple.isEmpty() ? full.substring(full.lastIndexOf('.') + 1) : simple;
  }

  /** Never throws: an exception of the application may have a text that does. */
  private static String textOf(@Nullable Throwable failure) {
    try {
      return failure == null ? "" : String.valueOf(failure.getMessage());
    } catch (RuntimeException | Error e) {
      return "the text of " + failure.getClass().getName() + " cannot be had: " + e.getClass();
    }
  }
}
