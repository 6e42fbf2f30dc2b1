package io.reactivetransfer.ibverbs;

import io.reactivetransfer.spi.CompletionSink;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** What is to be told to NICs of other engines, until the next poll tells it. */
final class Outbox {

  private final Queue<Said> said = new ArrayDeque<>();

  /** What is to be said to a peer, of a connection where there is one. */
  private record Said(VerbsPeer to, @Nullable Connection of, ByteBuffer message) {}

  void add(Connection of, ByteBuffer message) {
    said.add(new Said(of.peer(), of, message));
  }

  void add(VerbsPeer to, ByteBuffer message) {
    said.add(new Said(to, null, message));
  }

  boolean isEmpty() {
    return said.isEmpty();
  }

  /** A connection has ended: what was not told of it need not be told. */
  @SuppressWarnings("ReferenceEquality") // the very same object
  void drop(Connection connection) {
    said.removeIf(each -> each.of() == connection);
  }

  /** What is to be told to a peer is not: it will know nothing any more of what was before. */
  @SuppressWarnings("ReferenceEquality") // the very same object
  void drop(VerbsPeer peer) {
    said.removeIf(each -> each.to() == peer);
  }

  /** Has the control channel tell it; returns how much. */
  int send(CompletionSink sink) {
    int told = 0;
    for (Said next = said.poll(); next != null; next = said.poll()) {
      sink.toPeer(next.to(), next.message());
      told++;
    }
    return told;
  }
}
