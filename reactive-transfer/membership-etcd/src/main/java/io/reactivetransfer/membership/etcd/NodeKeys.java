package io.reactivetransfer.membership.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.watch.WatchEvent;
import io.reactivetransfer.membership.Node;
import io.reactivetransfer.membership.NodeSink;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * What keys and values below a prefix say of nodes. A value that says of none is as if not there.
 */
final class NodeKeys {

  private static final Logger LOG = Loggers.getLogger(NodeKeys.class);

  private final ByteSequence prefix;

  NodeKeys(String prefix) {
    this.prefix = bytes(prefix);
  }

  private static ByteSequence bytes(String text) {
    return ByteSequence.from(text, StandardCharsets.UTF_8);
  }

  ByteSequence prefix() {
    return prefix;
  }

  ByteSequence key(Node node) {
    return prefix.concat(bytes(node.name()));
  }

  static ByteSequence value(Node node) {
    return ByteSequence.from(NodeJson.write(node));
  }

  /** The nodes among these. */
  List<Node> nodes(List<KeyValue> entries) {
    return entries.stream().flatMap(this::node).toList();
  }

  /** Tells what has happened. */
  void tell(List<WatchEvent> events, NodeSink sink) {
    for (WatchEvent event : events) {
      KeyValue entry = event.getKeyValue();
      boolean isThere = event.getEventType() == WatchEvent.EventType.PUT;
      (isThere ? node(entry) : Stream.<Node>empty())
          .findFirst()
          .ifPresentOrElse(sink::exists, () -> sink.gone(name(entry)));
    }
  }

  private String name(KeyValue entry) {
    return entry.getKey().substring(prefix.size()).toString(StandardCharsets.UTF_8);
  }

  private Stream<Node> node(KeyValue entry) {
    String name = name(entry);
    try {
      return Stream.of(NodeJson.read(name, entry.getValue().getBytes()));
    } catch (IllegalArgumentException e) {
      LOG.warn(
          "the value of the key {} in etcd is no node, and is passed over: {}",
          entry.getKey(),
          e.getMessage());
      return Stream.empty();
    }
  }
}
