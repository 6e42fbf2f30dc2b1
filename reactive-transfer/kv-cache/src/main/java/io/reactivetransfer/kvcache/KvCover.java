package io.reactivetransfer.kvcache;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/** Whether several sources have all of a target, and nothing of it twice. */
final class KvCover {

  private final KvLayout target;
  private final List<KvLayout> sources;

  /** The heads of one part that one source has. */
  private record Share(int source, int first, int end) {}

  KvCover(KvLayout target, List<KvLayout> sources) {
    this.target = target;
    this.sources = List.copyOf(sources);
  }

  /** Which source has what changes at few layers only. */
  void require() {
    TreeSet<Integer> layers = new TreeSet<>();
    layers.add(target.firstLayer());
    for (KvLayout source : sources) {
      layers.add(source.firstLayer());
      layers.add(source.endLayer());
    }
    for (int layer : layers) {
      if (target.hasLayer(layer)) {
        for (KvPart part : target.parts()) {
          require(layer, part);
        }
      }
    }
  }

  private void require(int layer, KvPart wanted) {
    List<Share> shares = shares(layer, wanted);
    shares.sort(Comparator.comparingInt(Share::first).thenComparingInt(Share::source));
    int head = wanted.firstHead();
    int owner = -1;
    for (Share share : shares) {
      if (share.first < head) {
        throw new IllegalArgumentException(
            expected(share.first, wanted, layer)
                + "sources "
                + Math.min(owner, share.source)
                + " and "
                + Math.max(owner, share.source)
                + "; take one of those that hold the same");
      }
      if (share.first > head) {
        throw nobody(head, wanted, layer);
      }
      head = share.end;
      owner = share.source;
    }
    if (head < wanted.endHead()) {
      throw nobody(head, wanted, layer);
    }
  }

  private List<Share> shares(int layer, KvPart wanted) {
    List<Share> shares = new ArrayList<>();
    for (int i = 0; i < sources.size(); i++) {
      if (!sources.get(i).hasLayer(layer)) {
        continue;
      }
      for (KvPart part : sources.get(i).parts()) {
        int first = Math.max(part.firstHead(), wanted.firstHead());
        int end = Math.min(part.endHead(), wanted.endHead());
        if (part.name().equals(wanted.name()) && first < end) {
          shares.add(new Share(i, first, end));
        }
      }
    }
    return shares;
  }

  private IllegalArgumentException nobody(int head, KvPart part, int layer) {
    return new IllegalArgumentException(
        expected(head, part, layer) + "none of " + sources.size() + " sources");
  }

  private static String expected(int head, KvPart part, int layer) {
    return "expected head "
        + head
        + " of part "
        + part.name()
        + " of layer "
        + layer
        + " from one source, got it from ";
  }
}
