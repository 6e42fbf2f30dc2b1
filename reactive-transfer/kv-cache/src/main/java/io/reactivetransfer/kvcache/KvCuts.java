package io.reactivetransfer.kvcache;

import io.reactivetransfer.PageList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The transfers of one order, layer by layer and chunk by chunk; see {@link KvMapping#cuts}. Used
 * by one thread at a time.
 */
final class KvCuts {

  private final KvMapping mapping;
  private final KvSpan span;
  private final PageList sourcePages;
  private final PageList targetPages;

  /** The chunk that was cut last: its layers come one after the other. */
  private @Nullable Chunk last;

  KvCuts(KvMapping mapping, KvSpan span, PageList sourcePages, PageList targetPages) {
    this.mapping = mapping;
    this.span = span;
    this.sourcePages = sourcePages;
    this.targetPages = targetPages;
  }

  /** All tokens of the order. */
  KvSpan span() {
    return span;
  }

  /** The transfers of one layer; none if not both sides have it. */
  List<KvTransferPart> layer(int layer) {
    return layer(layer, span);
  }

  /**
   * The transfers of some tokens of one layer; none if not both sides have it. Chunks that follow
   * each other are counted as often as all of it at once.
   *
   * @throws IllegalArgumentException if the chunk is not within the order, is empty, or begins or
   *     ends within a unit
   */
  List<KvTransferPart> layer(int layer, KvSpan chunk) {
    Chunk cut = last;
    if (cut == null || !cut.tokens.equals(chunk)) {
      requireChunk(chunk);
      cut = new Chunk(chunk, new KvRuns(mapping, span, sourcePages, targetPages).of(chunk));
      last = cut;
    }
    return mapping.hasLayer(layer) ? cut.layer(layer) : List.of();
  }

  private void requireChunk(KvSpan chunk) {
    if (chunk.tokens() == 0 || !span.contains(chunk)) {
      throw new IllegalArgumentException(
          "expected a chunk of 1 or more of the " + span + ", got " + chunk);
    }
    requireBound(chunk.firstToken(), chunk);
    requireBound(chunk.end(), chunk);
  }

  private void requireBound(long token, KvSpan chunk) {
    int source = mapping.source().pageTokens();
    int target = mapping.target().pageTokens();
    boolean ofOrder = token == span.firstToken() || token == span.end();
    if (!ofOrder && token % source != 0 && token % target != 0) {
      throw new IllegalArgumentException(
          "expected a chunk that begins and ends with the "
              + span
              + ", or at a page bound (a multiple of "
              + source
              + " or "
              + target
              + "), got "
              + chunk);
    }
  }

  /** Some tokens, which are cut alike in all layers that lie alike. */
  private final class Chunk {

    private final KvSpan tokens;
    private final List<KvRuns.Run> runs;
    private final Map<Alike, List<KvJoin>> joined = new HashMap<>();

    /** What the transfers depend on, except for the offsets. */
    private record Alike(KvPairing pairing, long sourceStride, long targetStride) {}

    Chunk(KvSpan tokens, List<KvRuns.Run> runs) {
      this.tokens = tokens;
      this.runs = runs;
    }

    List<KvTransferPart> layer(int layer) {
      List<KvTransferPart> parts = new ArrayList<>();
      for (KvPairing pairing : mapping.pairings()) {
        KvPlace source = mapping.source().place(layer, pairing.sourcePart());
        KvPlace target = mapping.target().place(layer, pairing.targetPart());
        Alike alike = new Alike(pairing, source.pageStride(), target.pageStride());
        for (KvJoin join : joined.computeIfAbsent(alike, this::join)) {
          for (int lane = 0; lane < pairing.lanes(); lane++) {
            parts.add(join.at(layer, lane, source, target));
          }
        }
      }
      return parts;
    }

    private List<KvJoin> join(Alike alike) {
      return KvJoin.of(alike.pairing, alike.sourceStride, alike.targetStride, runs);
    }
  }
}
