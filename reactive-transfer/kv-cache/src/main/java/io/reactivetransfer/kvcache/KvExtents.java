package io.reactivetransfer.kvcache;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What the places of a layout cover: checks that it can be addressed, and that nothing overlaps.
 *
 * <p>A place is rows within rows: pages of tokens of heads, or of heads of tokens. So two places
 * that cover the same stretch may still lie apart, as keys and values do that take turns in it.
 * That is checked level by level: places that meet must have the same stride, and are then looked
 * at modulo that. It takes no longer than sorting, whatever the numbers are, which may have come
 * from others.
 */
final class KvExtents {

  private final KvLayout layout;

  /**
   * So many blocks at this distance.
   *
   * @param extent from the beginning of a block to its end
   */
  private record Level(long count, long stride, long extent) {}

  /**
   * What is left of a place.
   *
   * @param start of the first block
   * @param extent from the beginning of the first to the end of the last block
   * @param levels from the outermost one on
   */
  private record Block(int layer, int part, long start, long extent, List<Level> levels) {

    long end() {
      return start + extent;
    }

    boolean repeatsAt(long stride) {
      return !levels.isEmpty() && levels.getFirst().stride == stride;
    }

    /** Its first inner block, as seen from somewhere that comes again at this stride. */
    Block inner(long from) {
      Level outer = levels.getFirst();
      long at = (start - from) % outer.stride;
      return new Block(layer, part, at, outer.extent, levels.subList(1, levels.size()));
    }
  }

  KvExtents(KvLayout layout) {
    this.layout = layout;
    for (KvPart part : layout.parts()) {
      requireRowsApart(part);
    }
  }

  /** The end of so many pages. */
  static long end(long offset, long pages, long stride, long last) {
    try {
      return Math.addExact(Math.addExact(offset, Math.multiplyExact(pages, stride)), last);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "expected a layout of less than 2^63 bytes, got "
              + pages
              + " pages at a stride of "
              + stride
              + " from "
              + offset
              + " on",
          e);
    }
  }

  /** How long each region must be. */
  long[] ofRegions() {
    int regions = 0;
    int places = layout.layers() * layout.parts().size();
    for (int i = 0; i < places; i++) {
      regions = Math.max(regions, place(i).region());
    }
    // There cannot be more regions than places, so nothing large is allocated for a hostile number.
    if (regions >= places) {
      throw regionsWithGaps(regions);
    }
    long[] bytes = new long[regions + 1];
    for (int i = 0; i < places; i++) {
      KvPlace place = place(i);
      bytes[place.region()] = Math.max(bytes[place.region()], end(place, i));
    }
    for (long length : bytes) {
      if (length == 0) {
        throw regionsWithGaps(regions);
      }
    }
    return bytes;
  }

  private static IllegalArgumentException regionsWithGaps(int largest) {
    return new IllegalArgumentException(
        "expected regions that are numbered from 0 on without gaps, got a region "
            + largest
            + " and not all below it");
  }

  private KvPlace place(int index) {
    int parts = layout.parts().size();
    return layout.place(layout.firstLayer() + index / parts, index % parts);
  }

  private KvPart part(int index) {
    return layout.parts().get(index % layout.parts().size());
  }

  private long end(KvPlace place, int index) {
    long page = part(index).pageBytes(layout.pageTokens());
    if (layout.pages() > 1 && place.pageStride() < page) {
      throw new IllegalArgumentException(
          "expected pages that do not overlap (a stride of at least their "
              + page
              + " bytes) for part "
              + part(index).name()
              + ", got a stride of "
              + place.pageStride());
    }
    return end(place.offset(), layout.pages() - 1L, place.pageStride(), page);
  }

  private void requireRowsApart(KvPart part) {
    part.pageBytes(layout.pageTokens());
    if (layout.pageTokens() == 1 || part.heads() == 1) {
      return; // each stride is at least the length of a row
    }
    List<Level> inner = levelsOfPage(part);
    if (inner.getFirst().stride < inner.getFirst().extent) {
      throw new IllegalArgumentException(
          "expected rows that do not overlap within a page of "
              + layout.pageTokens()
              + " tokens, got "
              + part);
    }
  }

  /** Tokens and heads, from the larger stride to the smaller one. */
  private List<Level> levelsOfPage(KvPart part) {
    boolean tokensOutside = part.tokenStride() >= part.headStride();
    long tokens = layout.pageTokens();
    Level inside =
        tokensOutside
            ? new Level(part.heads(), part.headStride(), part.headBytes())
            : new Level(tokens, part.tokenStride(), part.headBytes());
    long extent = (inside.count - 1) * inside.stride + inside.extent;
    Level outside =
        tokensOutside
            ? new Level(tokens, part.tokenStride(), extent)
            : new Level(part.heads(), part.headStride(), extent);
    return List.of(outside, inside);
  }

  /** Refuses places that overlap. */
  void requireApart() {
    List<List<Block>> regions = new ArrayList<>();
    for (int i = 0; i < layout.regions(); i++) {
      regions.add(new ArrayList<>());
    }
    List<List<Level>> levels = layout.parts().stream().map(this::levelsOfPage).toList();
    int parts = layout.parts().size();
    for (int i = 0; i < layout.layers() * parts; i++) {
      KvPlace place = place(i);
      List<Level> all = new ArrayList<>();
      all.add(new Level(layout.pages(), place.pageStride(), pageBytes(i)));
      all.addAll(levels.get(i % parts));
      long extent = (layout.pages() - 1L) * place.pageStride() + pageBytes(i);
      Block block =
          new Block(
              layout.firstLayer() + i / parts, i % parts, place.offset(), extent, needed(all));
      regions.get(place.region()).add(block);
    }
    regions.forEach(this::requireApart);
  }

  private long pageBytes(int index) {
    return part(index).pageBytes(layout.pageTokens());
  }

  /** Without levels of one block, and without inner ones that have no gaps. */
  private static List<Level> needed(List<Level> all) {
    List<Level> levels = new ArrayList<>(all);
    levels.removeIf(level -> level.count == 1);
    while (!levels.isEmpty() && levels.getLast().stride == levels.getLast().extent) {
      levels.removeLast();
    }
    return levels;
  }

  private void requireApart(List<Block> blocks) {
    List<Block> sorted = new ArrayList<>(blocks);
    sorted.sort(Comparator.comparingLong(Block::start));
    int first = 0;
    while (first < sorted.size()) {
      long end = sorted.get(first).end();
      int next = first + 1;
      while (next < sorted.size() && sorted.get(next).start < end) {
        end = Math.max(end, sorted.get(next).end());
        next++;
      }
      if (next - first > 1) {
        requireTurns(sorted.subList(first, next));
      }
      first = next;
    }
  }

  /** These meet: they must take turns. */
  private void requireTurns(List<Block> meeting) {
    Block first = meeting.getFirst();
    List<Block> inner = new ArrayList<>(meeting.size());
    for (int i = 0; i < meeting.size(); i++) {
      Block block = meeting.get(i);
      if (first.levels.isEmpty() || !block.repeatsAt(first.levels.getFirst().stride)) {
        throw overlap(first, meeting.get(Math.max(1, i)));
      }
      Block next = block.inner(first.start);
      if (next.end() > first.levels.getFirst().stride) {
        throw overlap(first, meeting.get(Math.max(1, i)));
      }
      inner.add(next);
    }
    requireApart(inner);
  }

  private IllegalArgumentException overlap(Block one, Block other) {
    return new IllegalArgumentException(
        "expected places that lie apart, or take turns at equal strides, got "
            + describe(one)
            + " and "
            + describe(other)
            + ", which meet in region "
            + layout.place(one.layer, one.part).region());
  }

  private String describe(Block block) {
    return "part " + layout.parts().get(block.part).name() + " of layer " + block.layer;
  }
}
