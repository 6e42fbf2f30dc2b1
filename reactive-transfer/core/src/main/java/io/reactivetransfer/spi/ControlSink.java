package io.reactivetransfer.spi;

import io.reactivetransfer.EngineId;
import java.nio.ByteBuffer;

/**
 * Where a {@link ControlChannel} puts what it found. Valid only during the {@link
 * ControlChannel#poll} that it was given to, and only on that thread.
 */
public interface ControlSink {

  /**
   * A message has come.
   *
   * @param sender the engine that sent it, which has proved to be that engine, as far as the
   *     channel demands proofs
   * @param bytes valid only during this call
   */
  void received(EngineId sender, ByteBuffer bytes);

  /**
   * The answer to {@link ControlChannel#find}: this engine is there, and there is a session with
   * it.
   */
  void found(long token, EngineId peer);

  /**
   * The other answer: nobody is there, or nobody that may be talked with.
   *
   * @param code the channel's code, such as an errno, or 0
   * @param text what happened, with the address, and where known what to do
   */
  void notFound(long token, int code, String text);

  /**
   * The session with a peer is over, or could not be made: told once for each, after the last
   * message of it that will come. A later message to the peer tries again.
   *
   * @param code the channel's code, such as an errno, or 0
   * @param text what happened, with the address
   */
  void peerLost(EngineId peer, int code, String text);

  /**
   * The channel can do nothing more: told once, after the loss of all peers. The engine closes.
   *
   * @param code the channel's code, such as an errno, or 0
   * @param text what happened, and where known what to do
   */
  void channelFailed(int code, String text);
}
