package io.reactivetransfer.engine.peers;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.engine.base.Admission;
import io.reactivetransfer.engine.base.Answer;
import io.reactivetransfer.engine.base.Defects;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlSink;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The engine's side of its control channel: says what is to be said, and remembers who is looked
 * for. Belongs to the NIC thread.
 */
public final class Control {

  private record Search(HostPort at, Answer<Peer> answer) {}

  private final Peers peers;
  private final Defects defects;
  private final ControlChannel channel;
  private final Map<Long, Search> searches = new HashMap<>();
  private long searchesBegun;
  private boolean closed;
  private CompletionStage<Void> ended = CompletableFuture.completedStage(null);

  public Control(ControlChannel channel, Peers peers, Defects defects) {
    this.peers = peers;
    this.defects = defects;
    this.channel = channel;
  }

  /** Has a frame taken over; false if that is to be tried again. */
  boolean send(PeerLink peer, ByteBuffer frame) {
    assert peers.commands().owner().isCurrent();
    return !closed && channel.send(peer.id(), peer.address().control(), frame);
  }

  void disconnect(PeerLink peer, String reason) {
    disconnect(peer.id(), reason);
  }

  /** Ends the session with an engine, which may be no peer. */
  void disconnect(EngineId id, String reason) {
    if (!closed) {
      channel.disconnect(id, reason);
    }
  }

  /** Finds the engine at an address. */
  public void find(HostPort at, Answer<Peer> answer) {
    assert peers.commands().owner().isCurrent();
    if (closed) {
      answer.error(Admission.closedError());
      return;
    }
    long token = ++searchesBegun;
    searches.put(token, new Search(at, answer));
    answer.onCancel(() -> peers.commands().execute(() -> searches.remove(token)));
    channel.find(token, at);
  }

  /** Has the channel say what it knows; returns how much that was. */
  int poll(ControlSink sink) {
    return closed ? 0 : channel.poll(sink);
  }

  /** Nobody is talked with any more. */
  public void close(RuntimeException reason) {
    assert peers.commands().owner().isCurrent();
    if (!closed) {
      closed = true;
      searches.values().forEach(search -> search.answer().error(reason));
      searches.clear();
      defects.attempt("closing the control channel", channel::close);
      defects.attempt(
          "closing the control channel",
          () -> ended = Objects.requireNonNull(channel.closed(), "when it has closed"));
    }
  }

  /** After {@link #close}: complete when nothing of the channel runs any more. */
  public CompletionStage<Void> ended() {
    return ended;
  }

  /** The engine was found that was looked for. */
  void found(long token, EngineId id) {
    Search search = searches.remove(token);
    if (search == null) {
      return;
    }
    PeerAddress own = peers.ownAddress();
    if (id.equals(own.engine())) {
      search.answer().error(unreachable(search, id, 0, "that is this engine itself"));
      return;
    }
    PeerAddress address = new PeerAddress(own.backend(), id, search.at());
    search.answer().success(peers.named(address), () -> {});
  }

  /** It was not. */
  void notFound(long token, int code, String text) {
    Search search = searches.remove(token);
    if (search != null) {
      search.answer().error(unreachable(search, null, code, text));
    }
  }

  private static PeerUnreachableException unreachable(
      Search search, @Nullable EngineId id, int code, String text) {
    return new PeerUnreachableException(
        "no engine can be reached at " + search.at() + ": " + text,
        new Origin(id, null, code),
        null);
  }
}
