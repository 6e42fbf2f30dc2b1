package io.reactivetransfer.engine.peers;

import java.nio.ByteBuffer;
import java.util.function.Predicate;

/**
 * What another room of the engine keeps of one peer, and has to tell it. Belongs to the NIC thread.
 */
public interface PeerShare {

  /** Whether there is something to tell the peer now. */
  boolean isDue();

  /**
   * Tells the first thing that is due.
   *
   * @param theirEpoch the number that the peer has given to its acquaintance with us
   * @param post has a frame taken over; false if that is to be tried again
   * @return false if it was not taken over
   */
  boolean tell(int theirEpoch, Predicate<ByteBuffer> post);

  /** Whatever follows must find all told that can be. */
  default void tellAll() {}

  /** The peer was heard: what it could not be told may be told now. */
  void heard();

  /** The session is gone, and what was on its way. */
  default void interrupted() {}

  /** Nothing that is due can be told. */
  void unreachable();

  /** The peer greets as another one than before. */
  default void begunAnew() {}

  /** What was said and counted is forgotten, as if nobody had met. */
  default void renewed() {}

  /** The engine does not hold the peer any more. */
  default void forgotten() {}

  /** Whether something is waited for, or on its way, that only the peer can bring or take. */
  default boolean isWanted() {
    return false;
  }

  /** Whether nothing of it is at work. */
  default boolean isIdle() {
    return true;
  }

  /** Whether the peer has nothing to answer: then no harm comes of forgetting it. */
  default boolean isSettled() {
    return true;
  }

  /**
   * A quarter of the liveness deadline has passed.
   *
   * @param stoodStillNanos for how long this process stood still meanwhile
   * @return whether the peer is to be sought now
   */
  default boolean look(long stoodStillNanos) {
    return false;
  }
}
