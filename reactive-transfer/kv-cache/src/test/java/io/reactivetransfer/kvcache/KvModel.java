package io.reactivetransfer.kvcache;

import io.reactivetransfer.PageList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.TreeSet;

/**
 * KV memory of one side in arrays, by the plain words of a layout: every byte of every head of
 * every token is looked up on its own. What a {@link KvMapping} does is compared with it.
 */
final class KvModel {

  /** What nobody has written. */
  private static final byte UNTOUCHED = (byte) 0xee;

  final KvLayout layout;
  final KvSpan span;
  final PageList pages;
  final byte[][] regions;

  /** Bytes that were written, to find those that are written twice. */
  private final List<BitSet> written = new ArrayList<>();

  KvModel(KvLayout layout, KvSpan span, PageList pages) {
    this.layout = layout;
    this.span = span;
    this.pages = pages;
    this.regions = new byte[layout.regions()][];
    for (int i = 0; i < regions.length; i++) {
      regions[i] = new byte[Math.toIntExact(layout.bytes(i))];
      Arrays.fill(regions[i], UNTOUCHED);
      written.add(new BitSet());
    }
  }

  /** What a byte of the model's cache is. */
  private static byte content(String part, int layer, int head, long token, int at) {
    long mix = part.hashCode() * 31L + layer;
    mix = mix * 1_000_003 + head;
    mix = mix * 1_000_003 + token;
    mix = mix * 1_000_003 + at;
    mix ^= mix >>> 29;
    mix *= 0xbf58476d1ce4e5b9L;
    return (byte) (mix >>> 56);
  }

  /** Puts the tokens of the span in, as far as the other one has them, too. */
  void fill(List<KvLayout> others) {
    for (int part = 0; part < layout.parts().size(); part++) {
      KvPart held = layout.parts().get(part);
      for (int layer = layout.firstLayer(); layer < layout.endLayer(); layer++) {
        for (int head = held.firstHead(); head < held.endHead(); head++) {
          if (anyHas(others, held.name(), layer, head)) {
            fill(part, layer, head);
          }
        }
      }
    }
  }

  private static boolean anyHas(List<KvLayout> layouts, String name, int layer, int head) {
    return layouts.stream()
        .filter(layout -> layer >= layout.firstLayer())
        .filter(layout -> layer < layout.firstLayer() + layout.layers())
        .flatMap(layout -> layout.parts().stream())
        .filter(part -> part.name().equals(name))
        .anyMatch(part -> head >= part.firstHead() && head < part.firstHead() + part.heads());
  }

  private void fill(int part, int layer, int head) {
    KvPart held = layout.parts().get(part);
    for (long token = span.firstToken(); token < span.end(); token++) {
      long begin = span.firstToken() - span.firstToken() % layout.pageTokens();
      int page = pages.get((int) ((token - begin) / layout.pageTokens()));
      long row =
          layout.place(layer, part).offset()
              + page * layout.place(layer, part).pageStride()
              + token % layout.pageTokens() * held.tokenStride()
              + (head - held.firstHead()) * held.headStride();
      byte[] region = regions[layout.place(layer, part).region()];
      for (int i = 0; i < held.headBytes(); i++) {
        region[(int) row + i] = content(held.name(), layer, head, token, i);
      }
    }
  }

  /** Does what a transfer says. */
  static void move(KvTransferPart part, KvModel from, KvModel to) {
    KvTransferPart.Side source = part.source();
    KvTransferPart.Side target = part.target();
    for (int unit = 0; unit < part.units(); unit++) {
      for (int row = 0; row < part.rows(); row++) {
        to.write(
            target.region(),
            at(target, unit, row),
            from.regions[source.region()],
            at(source, unit, row),
            (int) part.rowBytes());
      }
    }
  }

  private static int at(KvTransferPart.Side side, int unit, int row) {
    long at = side.offset() + side.pages().get(unit) * side.pageStride() + row * side.rowStride();
    return Math.toIntExact(at);
  }

  private void write(int region, int at, byte[] from, int fromAt, int length) {
    BitSet before = written.get(region);
    int again = before.nextSetBit(at);
    if (again >= 0 && again < at + length) {
      throw new AssertionError("byte " + again + " of region " + region + " is written twice");
    }
    before.set(at, at + length);
    System.arraycopy(from, fromAt, regions[region], at, length);
  }

  /** How many stretches the tokens are cut into by the page bounds of two sides. */
  static int stretches(KvSpan span, int oneSize, int otherSize) {
    TreeSet<Long> begins = new TreeSet<>();
    for (long token = span.firstToken(); token < span.end(); token++) {
      if (token == span.firstToken() || token % oneSize == 0 || token % otherSize == 0) {
        begins.add(token);
      }
    }
    return begins.size();
  }
}
