package io.reactivetransfer.engine;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.engine.base.Admission;
import io.reactivetransfer.engine.base.Answer;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlSink;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The engine's side of its control channel: leads what comes to where it belongs, and remembers who
 * is looked for. Belongs to the worker.
 */
final class Control implements ControlSink {

  private record Search(HostPort at, Answer<Peer> answer) {}

  private final Worker worker;
  private final ControlChannel channel;
  private final Map<Long, Search> searches = new HashMap<>();
  private long searchesBegun;
  private boolean closed;

  Control(Worker worker, ControlChannel channel) {
    this.worker = worker;
    this.channel = channel;
  }

  HostPort address() {
    return channel.address();
  }

  /** Has a frame taken over; false if that is to be tried again. */
  boolean send(PeerLink peer, ByteBuffer frame) {
    return !closed && channel.send(peer.id(), peer.address().control(), frame);
  }

  void disconnect(PeerLink peer, String reason) {
    if (!closed) {
      channel.disconnect(peer.id(), reason);
    }
  }

  /** Finds the engine at an address. */
  void find(HostPort at, Answer<Peer> answer) {
    if (closed) {
      answer.error(Admission.closedError());
      return;
    }
    long token = ++searchesBegun;
    searches.put(token, new Search(at, answer));
    answer.onCancel(() -> worker.execute(() -> searches.remove(token)));
    channel.find(token, at);
  }

  int poll() {
    return closed ? 0 : channel.poll(this);
  }

  /** Nobody is talked with any more. */
  void close(RuntimeException reason) {
    if (!closed) {
      closed = true;
      searches.values().forEach(search -> search.answer().error(reason));
      searches.clear();
      worker.attempt("closing the control channel", channel::close);
    }
  }

  // ---- what comes ----

  @Override
  public void received(EngineId sender, ByteBuffer bytes) {
    worker.mailroom().received(sender, bytes);
  }

  @Override
  public void found(long token, EngineId id) {
    Search search = searches.remove(token);
    if (search == null) {
      return;
    }
    if (id.equals(worker.id())) {
      search.answer().error(unreachable(search, id, 0, "that is this engine itself"));
      return;
    }
    PeerAddress address = new PeerAddress(worker.address().backend(), id, search.at());
    search.answer().success(worker.peers().named(address), () -> {});
  }

  @Override
  public void notFound(long token, int code, String text) {
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

  @Override
  public void peerLost(EngineId id, int code, String text) {
    PeerLink peer = worker.peers().find(id);
    if (peer == null) {
      worker.imms().left(id); // it has only written here
      return;
    }
    peer.disconnect(text);
    worker.peerLost(
        peer,
        new PeerUnreachableException(
            "peer " + peer + " cannot be reached: " + text, new Origin(id, null, code), null));
  }

  @Override
  public void channelFailed(int code, String text) {
    worker.shutdown().begin(new BackendException(code, "the control channel failed: " + text));
  }
}
