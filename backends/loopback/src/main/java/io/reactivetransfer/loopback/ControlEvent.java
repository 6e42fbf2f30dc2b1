package io.reactivetransfer.loopback;

import io.reactivetransfer.EngineId;

/** What a control channel has to tell its engine, in the order in which it came about. */
sealed interface ControlEvent {

  /** Someone has begun a session. */
  record Opened(LoopbackSession session) implements ControlEvent {}

  /** A message has come. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Received(LoopbackSession session, byte[] bytes) implements ControlEvent {}

  /** The other side has ended a session. */
  record Ended(LoopbackSession session, String why) implements ControlEvent {}

  /** Nobody could be reached. */
  record Unreachable(EngineId peer, String why) implements ControlEvent {}

  /** The answer to a search. */
  record Found(long token, EngineId peer) implements ControlEvent {}

  /** The other answer. */
  record NotFound(long token, String why) implements ControlEvent {}
}
