package io.reactivetransfer.loopback;

import io.reactivetransfer.EngineId;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The way from one NIC to another. Everything that is sent goes through {@code carry}; it belongs
 * to the origin's thread.
 */
final class Link {

  private final Port origin;
  private final EngineId engine;
  private @Nullable Port target;
  private String lossText;
  private final AtomicBoolean refused = new AtomicBoolean();
  private @Nullable Link nextRefused;
  private boolean lost;

  private Link(Port origin, EngineId engine, @Nullable Port target, String lossText) {
    this.origin = origin;
    this.engine = engine;
    this.target = target;
    this.lossText = lossText;
  }

  static Link between(Port origin, Port target) {
    return new Link(origin, target.address().engine(), target, target.closedText());
  }

  /** A link that leads nowhere: it takes everything, and is about to be reported as lost. */
  static Link toNobody(Port origin, EngineId engine, String lossText) {
    return new Link(origin, engine, null, lossText);
  }

  EngineId engine() {
    return engine;
  }

  String lossText() {
    return lossText;
  }

  /** It is given up while the other side is still there. */
  void giveUp(String reason) {
    lossText = reason;
  }

  boolean isLost() {
    return lost;
  }

  /** Nothing goes over it any more; another try needs another link. */
  void lose() {
    lost = true;
    target = null; // whoever still knows the link must not keep a closed engine
  }

  /**
   * Takes a write to the target, or refuses because its inbox is full; then the origin's doorbell
   * rings when there is room.
   */
  boolean carry(InFlightWrite write) {
    Port to = target;
    // What is sent to a closed port ends when its loss, which is on its way to the origin, is
    // handled.
    if (to == null || to.isClosed() || to.offer(write)) {
      return true;
    }
    to.remember(this);
    // Again, because room that was made before the target knew of the refusal rings no doorbell.
    return to.offer(write);
  }

  /** Marks that the origin waits for room; false if it was marked already. From the origin. */
  boolean markRefused() {
    return refused.compareAndSet(false, true);
  }

  /** The origin may try again. From the target. */
  void ringOrigin() {
    // In this order: a refusal after the mark is gone leaves a new mark.
    refused.set(false);
    origin.ring();
  }

  @Nullable Link nextRefused() {
    return nextRefused;
  }

  void setNextRefused(@Nullable Link next) {
    nextRefused = next;
  }
}
