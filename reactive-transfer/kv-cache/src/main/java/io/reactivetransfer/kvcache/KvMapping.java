package io.reactivetransfer.kvcache;

import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a source has of what a target wants: a pure function of two layouts, so that both sides come
 * to the same counts. Make it once for each pair of layouts. Immutable.
 *
 * <p>A <i>unit</i> is what is counted once: of one layer and one part, the tokens between two
 * neighbouring page bounds of either side. Where heads and tokens are ordered so differently on the
 * two sides that the rows of a unit do not follow each other at one stride, each head is a unit.
 *
 * <p>Page lists: page {@code i} of a list holds the tokens {@code [i * pageTokens, (i + 1) *
 * pageTokens)}, counted from the page bound of that side at or before the first token of the span.
 */
public final class KvMapping {

  private final KvLayout source;
  private final KvLayout target;
  private final int firstLayer;
  private final int endLayer;
  private final List<KvPairing> pairings;

  /** Units of a layer between two page bounds. */
  private final long lanes;

  private final long bytesPerToken;

  /** Computed when it is first asked for. */
  private volatile @Nullable Integer checksum;

  private KvMapping(KvLayout source, KvLayout target) {
    this.source = source;
    this.target = target;
    this.firstLayer = Math.max(source.firstLayer(), target.firstLayer());
    this.endLayer = Math.min(source.endLayer(), target.endLayer());
    this.pairings = List.copyOf(pairings(source, target));
    if (firstLayer >= endLayer || pairings.isEmpty()) {
      throw new IllegalArgumentException(
          "expected a source that has layers and heads of the target ("
              + target
              + "), got "
              + source);
    }
    this.lanes = pairings.stream().mapToLong(KvPairing::lanes).sum();
    this.bytesPerToken = pairings.stream().mapToLong(KvPairing::bytesPerToken).sum();
    requireRows();
  }

  private static List<KvPairing> pairings(KvLayout source, KvLayout target) {
    List<KvPairing> found = new ArrayList<>();
    for (int from = 0; from < source.parts().size(); from++) {
      KvPart part = source.parts().get(from);
      for (int to = 0; to < target.parts().size(); to++) {
        if (!target.parts().get(to).name().equals(part.name())) {
          continue;
        }
        requireHeads(part, target.parts().get(to));
        KvPairing pairing = KvPairing.of(source, from, target, to);
        if (pairing.heads() > 0) {
          found.add(pairing);
        }
      }
    }
    return found;
  }

  private static void requireHeads(KvPart source, KvPart target) {
    if (source.headBytes() != target.headBytes()) {
      throw new IllegalArgumentException(
          "expected heads of "
              + target.headBytes()
              + " bytes in part "
              + target.name()
              + ", as the target has them, got a source with heads of "
              + source.headBytes());
    }
  }

  private void requireRows() {
    long tokens = Math.min(source.pageTokens(), target.pageTokens());
    for (KvPairing pairing : pairings) {
      if (tokens * pairing.heads() > Integer.MAX_VALUE) {
        throw new IllegalArgumentException(
            "expected less than 2^31 rows in a page of part "
                + pairing.name()
                + ", got "
                + tokens
                + " tokens of "
                + pairing.heads()
                + " heads");
      }
    }
  }

  /**
   * The heads and layers of the source that the target has too; parts are matched by their names.
   *
   * @throws IllegalArgumentException if they cannot be mapped, or have nothing in common; the text
   *     says what was expected and got
   */
  public static KvMapping between(KvLayout source, KvLayout target) {
    return new KvMapping(source, target);
  }

  /**
   * Checks that together the sources have every head of every part of every layer of the target
   * exactly once.
   *
   * @throws IllegalArgumentException if not; the text names the first one that none has, or two
   */
  public static void requireCover(KvLayout target, List<KvLayout> sources) {
    new KvCover(target, sources).require();
  }

  /** The layout that it maps from. */
  public KvLayout source() {
    return source;
  }

  /** The layout that it maps to. */
  public KvLayout target() {
    return target;
  }

  /** Number of the first layer that both have. */
  public int firstLayer() {
    return firstLayer;
  }

  /** How many layers both have, at least 1. */
  public int layers() {
    return endLayer - firstLayer;
  }

  /** Whether both have this layer. */
  public boolean hasLayer(int layer) {
    return layer >= firstLayer && layer < endLayer;
  }

  /**
   * By which each side knows whether the other one has counted by the same two layouts. Two that
   * differ may come to the same counts.
   */
  int checksum() {
    Integer known = checksum;
    if (known == null) {
      known = KvLayoutForm.checksum(source, target);
      checksum = known;
    }
    return known;
  }

  /** The parts that both have. */
  List<KvPairing> pairings() {
    return pairings;
  }

  /** Units of one layer that are counted for these tokens; 0 if not both have the layer. */
  public long arrivals(int layer, long firstToken, long tokens) {
    KvSpan span = new KvSpan(firstToken, tokens);
    return hasLayer(layer) ? product("arrivals", lanes, stretches(span), 1) : 0;
  }

  /** Units of all layers that are counted for these tokens. */
  public long arrivals(long firstToken, long tokens) {
    return product("arrivals", lanes, stretches(new KvSpan(firstToken, tokens)), layers());
  }

  /** Bytes of all layers that are moved for these tokens. */
  public long bytes(long firstToken, long tokens) {
    return product("bytes", bytesPerToken, new KvSpan(firstToken, tokens).tokens(), layers());
  }

  /** How many stretches the page bounds of both sides cut the tokens into. */
  private long stretches(KvSpan span) {
    if (span.tokens() == 0) {
      return 0;
    }
    long one = source.pageTokens();
    long other = target.pageTokens();
    long both = one / gcd(one, other) * other;
    return 1 + bounds(span, one) + bounds(span, other) - bounds(span, both);
  }

  /** What the longest units of these tokens consist of, of each part; at least one token. */
  List<PagedWrite.Rows> longestUnits(KvSpan span) {
    long longest = 0;
    long token = span.firstToken();
    while (token < span.end()) {
      // Distances, since the end of the page of the last token can be beyond what a long takes.
      long ofSource = source.pageTokens() - token % source.pageTokens();
      long ofTarget = target.pageTokens() - token % target.pageTokens();
      long unit = Math.min(span.end() - token, Math.min(ofSource, ofTarget));
      longest = Math.max(longest, unit);
      token += unit;
    }
    int tokens = (int) longest;
    return pairings.stream().map(pairing -> pairing.rows(tokens).toCore()).toList();
  }

  /** How many multiples of a number lie between the first and the last token. */
  private static long bounds(KvSpan span, long every) {
    return (span.end() - 1) / every - span.firstToken() / every;
  }

  static long gcd(long one, long other) {
    long a = one;
    long b = other;
    while (b != 0) {
      long rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }

  /** None of these is bounded by what either side has, so it may be anything. */
  private static long product(String what, long one, long other, long layers) {
    try {
      return Math.multiplyExact(Math.multiplyExact(one, other), layers);
    } catch (ArithmeticException e) {
      BigInteger exact = BigInteger.valueOf(one).multiply(BigInteger.valueOf(other));
      throw new IllegalArgumentException(
          "expected less than 2^63 " + what + ", got " + exact.multiply(BigInteger.valueOf(layers)),
          e);
    }
  }

  /**
   * Prepares the transfers of one order. Make it once for an order: what is the same for all layers
   * is computed once.
   *
   * @param span the tokens of the order, at least one
   * @param sourcePages pages of the source that hold them
   * @param targetPages pages of the target that are to hold them
   * @throws IllegalArgumentException if a list has another number of pages than the span needs, or
   *     a page that its layout has not
   */
  KvCuts cuts(KvSpan span, PageList sourcePages, PageList targetPages) {
    requirePages("source", source, span, sourcePages);
    requirePages("target", target, span, targetPages);
    return new KvCuts(this, span, sourcePages, targetPages);
  }

  /** Refuses a list of other pages than a span needs. */
  static void requirePages(String side, KvLayout layout, KvSpan span, PageList pages) {
    if (span.tokens() == 0) {
      throw new IllegalArgumentException("expected 1 or more tokens, got none");
    }
    long needed = span.pages(layout.pageTokens());
    if (pages.size() != needed) {
      throw new IllegalArgumentException(
          "expected "
              + needed
              + " "
              + side
              + " pages of "
              + layout.pageTokens()
              + " tokens for "
              + span
              + ", got "
              + pages.size());
    }
    if (pages.largest() >= layout.pages()) {
      throw new IllegalArgumentException(
          "expected "
              + side
              + " pages of 0 to "
              + (layout.pages() - 1)
              + ", got page "
              + pages.largest());
    }
  }

  /**
   * The transfers of one layer, as few as possible.
   *
   * @param layer the model's number; a layer that not both have has none
   * @param span the tokens, at least one
   * @param sourcePages pages of the source that hold them
   * @param targetPages pages of the target that are to hold them
   * @throws IllegalArgumentException if a list has another number of pages than the span needs, or
   *     a page that its layout has not
   */
  public List<KvTransferPart> cut(
      int layer, KvSpan span, PageList sourcePages, PageList targetPages) {
    return cuts(span, sourcePages, targetPages).layer(layer);
  }

  /** The two layouts. */
  @Override
  public String toString() {
    return "from " + source + " to " + target;
  }
}
