package io.reactivetransfer.membership.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.options.OptionsUtil;
import io.etcd.jetcd.watch.WatchEvent;
import io.reactivetransfer.membership.Node;
import io.reactivetransfer.membership.NodeSink;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * What keys and values below a prefix say of nodes. A value that says of none is as if not there.
 */
final class NodeKeys {

  private static final Logger LOG = Loggers.getLogger(NodeKeys.class);

  /** Of how many bad keys it remembers that it has warned of them; of more it does not warn. */
  private static final int MAX_LOGGED = 1_000;

  private static final int MAX_CLIPPED = 300;

  private final ByteSequence prefix;
  private final Set<ByteSequence> bad = ConcurrentHashMap.newKeySet();

  NodeKeys(String prefix) {
    this.prefix = bytes(prefix);
  }

  private static ByteSequence bytes(String text) {
    return ByteSequence.from(text, StandardCharsets.UTF_8);
  }

  ByteSequence prefix() {
    return prefix;
  }

  /** Behind all keys that begin with the prefix. */
  ByteSequence end() {
    return OptionsUtil.prefixEndOf(prefix);
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
      if (!isThere) {
        bad.remove(entry.getKey());
      }
    }
  }

  private String name(KeyValue entry) {
    return entry.getKey().substring(prefix.size()).toString(StandardCharsets.UTF_8);
  }

  private Stream<Node> node(KeyValue entry) {
    String name = name(entry);
    try {
      Node node = NodeJson.read(name, entry.getValue().getBytes());
      bad.remove(entry.getKey());
      return Stream.of(node);
    } catch (IllegalArgumentException e) {
      log(entry.getKey(), String.valueOf(e.getMessage()));
      return Stream.empty();
    }
  }

  /** Once for as long as it stays bad, and no more where there are very many. */
  private void log(ByteSequence key, String reason) {
    if (bad.size() < MAX_LOGGED && bad.add(key)) {
      LOG.warn(
          "the value of the key {} in etcd is no node, and is passed over: {}",
          clip(key),
          clip(reason));
    }
  }

  /** A key that others have written, bounded and without control characters. */
  static String clip(ByteSequence key) {
    return clip(key.toString(StandardCharsets.UTF_8));
  }

  private static String clip(String text) {
    String safe = text.replaceAll("[^\\x20-\\x7e]", "?");
    return safe.length() <= MAX_CLIPPED ? safe : safe.substring(0, MAX_CLIPPED) + "...";
  }
}
