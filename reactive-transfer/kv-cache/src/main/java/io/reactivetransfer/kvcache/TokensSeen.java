package io.reactivetransfer.kvcache;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Which tokens of which layers have come: each must, and only once. */
final class TokensSeen {

  private final int firstLayer;
  private final KvSpan span;

  /** For each layer, the tokens that have come: the first ones, and where they end. */
  private final List<TreeMap<Long, Long>> layers;

  /** All tokens of the span, in so many layers. */
  TokensSeen(int firstLayer, int layers, KvSpan span) {
    this.firstLayer = firstLayer;
    this.span = span;
    this.layers = Stream.generate(TreeMap<Long, Long>::new).limit(layers).toList();
  }

  boolean wants(int layer) {
    return layer >= firstLayer && layer - firstLayer < layers.size();
  }

  /**
   * They have come now.
   *
   * @throws IllegalArgumentException if one of them had come before
   */
  void add(int layer, KvSpan chunk) {
    TreeMap<Long, Long> known = layers.get(layer - firstLayer);
    Map.Entry<Long, Long> before = known.floorEntry(chunk.end() - 1);
    if (before != null && before.getValue() > chunk.firstToken()) {
      throw new IllegalArgumentException(
          "expected each token of a layer once, got token "
              + Math.max(before.getKey(), chunk.firstToken())
              + " of layer "
              + layer
              + " again");
    }
    long first = chunk.firstToken();
    long end = chunk.end();
    if (before != null && before.getValue() == first) {
      first = before.getKey();
    }
    Long after = known.remove(end);
    known.put(first, after == null ? end : after);
  }

  /**
   * Nothing more will come.
   *
   * @throws IllegalStateException if some are missing
   */
  void requireAll() {
    long missing = 0;
    int first = -1;
    for (int layer = layers.size() - 1; layer >= 0; layer--) {
      long here = missing(layers.get(layer));
      if (here > 0) {
        first = firstLayer + layer;
        missing += here;
      }
    }
    if (missing > 0) {
      throw new IllegalStateException(
          "expected all tokens of all layers before the end, got "
              + missing
              + " too few, the first of them in layer "
              + first);
    }
  }

  private long missing(Map<Long, Long> known) {
    long seen = 0;
    for (Map.Entry<Long, Long> chunk : known.entrySet()) {
      seen += chunk.getValue() - chunk.getKey();
    }
    return span.tokens() - seen;
  }
}
