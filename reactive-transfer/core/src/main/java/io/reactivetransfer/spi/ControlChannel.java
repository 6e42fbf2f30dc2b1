package io.reactivetransfer.spi;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The one way on which an engine talks with other engines: messages that arrive once and in order,
 * from senders that are who they say they are. Bytes of regions never travel here; NICs carry
 * those.
 *
 * <p>Two engines share at most one <em>session</em> at a time, which carries messages both ways. It
 * comes about when either side sends or is looked for, and ends for both sides when it breaks, when
 * one of them closes, gives the other up, or dies. An engine that dials in again, because it lost a
 * session that this side still believes in, replaces it: the loss of the old one is reported before
 * anything of the new one.
 *
 * <p>Every method is called by the one thread that drives the engine's NICs, and none may block:
 * what cannot be done now is refused by a return value.
 */
public interface ControlChannel {

  /** Where other engines reach this one. */
  HostPort address();

  /** The longest message, in bytes: at least what the {@link ControlContext} asked for. */
  int maxMessageBytes();

  /**
   * Takes a message over, or refuses it because a queue is full or a session is still being made.
   * After a refusal, the doorbell rings when trying again may succeed. What was taken over reaches
   * the other engine once and in order, or {@link ControlSink#peerLost} is reported here. As long
   * as the loss of a session was not reported, nothing is taken over for the next one.
   *
   * @param to the engine that is wanted; whoever else answers at the address is not given it
   * @param at where it is found, if there is no session with it
   * @param bytes its remaining bytes, which are copied and not consumed
   * @return whether it was taken over
   */
  boolean send(EngineId to, HostPort at, ByteBuffer bytes);

  /**
   * Finds out which engine is at an address: makes a session with it, unless there is one, and
   * reports it by {@link ControlSink#found}, or {@link ControlSink#notFound}, once.
   *
   * @param token to report it with
   */
  void find(long token, HostPort at);

  /**
   * Gives a peer up: ends the session with it, if there is one, and drops what was taken over for
   * it, and what came and was not reported. The peer is told the reason if it can be. Nothing of
   * that session is reported here any more, its loss neither. A later message begins anew.
   *
   * @param reason for the texts
   */
  void disconnect(EngineId peer, String reason);

  /**
   * Makes progress and reports what was found, a bounded amount. The doorbell rings whenever there
   * is something to find.
   *
   * @return how many things were reported or moved forward; 0 means that there was nothing to do
   */
  int poll(ControlSink sink);

  /**
   * Ends all sessions, after what was taken over was given to the network as far as that is
   * possible without waiting, and lets nobody in any more. Peers learn that this engine has closed.
   * Called once.
   */
  void close();

  /**
   * Asked for once, after {@link #close()}. The engine says that it is closed when this is complete
   * and its own thread has ended. A channel with a thread of its own, which closes after that call
   * has returned, completes it at its very end; one that is over by then need not have this. It has
   * to complete in any case, also where the channel has failed before: nothing bounds how long an
   * engine that is closing, or could not be opened, waits for it.
   *
   * @return complete when nothing of the channel runs any more, and another one may listen where it
   *     did, well or not
   */
  default CompletionStage<Void> closed() {
    return CompletableFuture.completedStage(null);
  }
}
