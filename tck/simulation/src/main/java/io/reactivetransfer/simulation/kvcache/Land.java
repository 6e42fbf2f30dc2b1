package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import io.reactivetransfer.kvcache.KvLayout;
import io.reactivetransfer.kvcache.KvMemory;
import io.reactivetransfer.kvcache.KvPart;
import io.reactivetransfer.kvcache.KvSpan;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The pages of one layout on one node, and who has each of them. It is known of every byte what it
 * must be, by layer, part, head, token and order; so whatever a NIC writes is compared as it comes.
 */
final class Land {

  private static final int GAP = -1;

  final KvNode node;
  KvLayout layout;
  final boolean isTarget;
  private final KvWorld world;
  private final SplittableRandom random;
  private final List<Strip> strips = new ArrayList<>();
  private final @Nullable Lot[] lots;
  private final int[] positions;
  private final byte[] stamps;
  private final String[] last;
  private int free;

  /** One region of the layout, and what lies at each of its bytes. */
  final class Strip {
    final MemorySegment memory;
    private final int[] pages;
    private final long[] places;

    /** What a NIC has read since it was filled. */
    private final BitSet read = new BitSet();

    private @Nullable MemoryRegion region;

    Strip(int length) {
      memory = world.ground().take(this, length);
      pages = new int[length];
      places = new long[length];
      Arrays.fill(pages, GAP);
    }

    void registered(MemoryRegion made) {
      region = made;
    }

    MemoryRegion region() {
      MemoryRegion made = region;
      if (made == null) {
        throw new IllegalStateException("not registered yet");
      }
      return made;
    }

    /** A NIC reads these bytes. */
    void reading(long offset, long length) {
      for (long at = offset; at < offset + length; at++) {
        Lot lot = lotAt((int) at);
        if (lot == null || !lot.open) {
          world.referee().violated("a NIC reads byte " + where(at) + ", which is " + whose(at));
          return;
        }
      }
      read.set((int) offset, (int) (offset + length));
    }

    /** A NIC is about to write these bytes. */
    void writing(long offset, long length) {
      for (long at = offset; at < offset + length; at++) {
        Lot lot = lotAt((int) at);
        if (lot == null || !lot.open) {
          world.referee().violated("a NIC writes byte " + where(at) + ", which is " + whose(at));
          return;
        }
        if (lot.touchedNanos < 0) {
          lot.touchedNanos = world.referee().nanos();
        }
      }
      world.written(this, offset, length);
    }

    /** A NIC has written these bytes. */
    void written(long offset, long length) {
      for (long at = offset; at < offset + length; at++) {
        int page = pages[(int) at];
        Lot lot = lotAt((int) at);
        if (lot != null && !isRight(lot, page, places[(int) at], (int) at)) {
          world
              .referee()
              .violated("a NIC wrote byte " + where(at) + " of " + lot + ", and it is not theirs");
          return;
        }
      }
    }

    private boolean isRight(Lot lot, int page, long place, int at) {
      long token = lot.token(positions[page], (int) (place >> 16 & 0xff));
      return lot.wants(token)
          && memory.get(ValueLayout.JAVA_BYTE, at) == content(lot.order, place, token);
    }

    private @Nullable Lot lotAt(int at) {
      int page = pages[at];
      return page == GAP ? null : lots[page];
    }

    private String where(long at) {
      return at + " (page " + pages[(int) at] + ") of " + Land.this;
    }

    private String whose(long at) {
      int page = pages[(int) at];
      if (page == GAP) {
        return "between pages";
      }
      Lot lot = lots[page];
      return lot == null ? last[page] : "closed: of order " + lot.order;
    }
  }

  Land(KvNode node, KvLayout layout, boolean isTarget, SplittableRandom random) {
    this.node = node;
    this.world = node.world();
    this.layout = layout;
    this.isTarget = isTarget;
    this.random = random;
    this.lots = new Lot[layout.pages()];
    this.positions = new int[layout.pages()];
    this.stamps = new byte[layout.pages()];
    this.last = new String[layout.pages()];
    this.free = layout.pages();
    for (int region = 0; region < layout.regions(); region++) {
      strips.add(new Strip(Math.toIntExact(layout.bytes(region))));
    }
    Arrays.fill(last, "free: nobody ever had it");
    layOut();
  }

  private void layOut() {
    for (int page = 0; page < layout.pages(); page++) {
      int number = page;
      forEachByte(
          page,
          (strip, at, place, token) -> {
            strip.pages[at] = number;
            strip.places[at] = place;
          });
      stamp(page);
    }
  }

  /** Something else lies at the same places from now on; while all pages are free. */
  void lieAs(KvLayout other) {
    layout = other;
    layOut();
  }

  List<Strip> strips() {
    return strips;
  }

  /** So many bytes from the beginning of the one page of a lot. */
  MemorySlice slice(Lot lot, long length) {
    long offset = layout.offset(layout.firstLayer(), 0, lot.pages.get(0));
    return strips.getFirst().region().slice(offset, length);
  }

  KvMemory memory() {
    return new KvMemory(strips.stream().map(Strip::region).toList(), layout);
  }

  // ---- who has them ----

  /** Free pages for these tokens, in any order; null if there are not enough. */
  @Nullable Lot take(int order, KvSpan span) {
    int count = Math.toIntExact(span.pages(layout.pageTokens()));
    if (count > free) {
      return null;
    }
    int[] taken = new int[count];
    int from = random.nextInt(layout.pages());
    for (int i = 0, found = 0; found < count; i++) {
      int page = (from + i) % layout.pages();
      if (lots[page] == null) {
        taken[found++] = page;
      }
    }
    if (random.nextBoolean()) {
      for (int i = 0; i < count / 2; i++) {
        int other = taken[count - 1 - i];
        taken[count - 1 - i] = taken[i];
        taken[i] = other;
      }
    }
    Lot lot = new Lot(order, span, PageList.of(taken), layout.pageTokens());
    for (int i = 0; i < count; i++) {
      requireStamp(taken[i]);
      lots[taken[i]] = lot;
      positions[taken[i]] = i;
    }
    free -= count;
    return lot;
  }

  /** They are free again: other bytes come into them. */
  void give(Lot lot) {
    for (int page : lot.pages.toArray()) {
      if (lots[page] != lot) {
        world.referee().violated(lot + " were given back, and they are another's");
        return;
      }
      lots[page] = null;
      last[page] = "free: order " + lot.order + " had it last";
      stamp(page);
      free++;
    }
  }

  int free() {
    return free;
  }

  /** All pages that are out, in words. */
  String taken() {
    return Arrays.stream(lots).filter(lot -> lot != null).distinct().toList().toString();
  }

  private void stamp(int page) {
    byte stamp = (byte) random.nextInt();
    stamps[page] = stamp;
    forEachByte(
        page, (strip, at, place, token) -> strip.memory.set(ValueLayout.JAVA_BYTE, at, stamp));
  }

  private void requireStamp(int page) {
    byte stamp = stamps[page];
    forEachByte(
        page,
        (strip, at, place, token) -> {
          if (strip.memory.get(ValueLayout.JAVA_BYTE, at) != stamp) {
            world
                .referee()
                .violated("page " + page + " of " + this + " was changed while it was free");
          }
        });
  }

  // ---- what is in them ----

  /** Puts in what a model would compute. */
  void fill(Lot lot) {
    forEachByte(
        lot,
        (strip, at, place, token) -> {
          strip.memory.set(ValueLayout.JAVA_BYTE, at, content(lot.order, place, token));
          strip.read.clear(at);
        });
  }

  /** NICs must have read these tokens of a layer since it was filled. */
  void requireRead(Lot lot, int layer, KvSpan span, String why) {
    forEachByte(
        lot,
        (strip, at, place, token) -> {
          if (place >> 40 == layer && isIn(span, token) && !strip.read.get(at)) {
            world.referee().violated(why + ", and no NIC has read byte " + at + " of " + this);
          }
        });
  }

  /** What these tokens of a layer have in common with another layout must be there. */
  void requireFrom(KvLayout source, Lot lot, int layer, KvSpan span, String why) {
    forEachByte(
        lot,
        (strip, at, place, token) -> {
          KvPart part = source.parts().get((int) (place >> 32 & 0xff));
          int head = (int) (place >> 24 & 0xff) - part.firstHead();
          if (place >> 40 == layer
              && isIn(span, token)
              && head >= 0
              && head < part.heads()
              && strip.memory.get(ValueLayout.JAVA_BYTE, at) != content(lot.order, place, token)) {
            world.referee().violated(why + ", and byte " + at + " of " + this + " has not come");
          }
        });
  }

  private static boolean isIn(KvSpan span, long token) {
    return token >= span.firstToken() && token < span.end();
  }

  /** All of it must be there. */
  void requireFilled(Lot lot, String why) {
    requireFilled(lot, layout.firstLayer(), layout.endLayer(), Integer.MAX_VALUE, why);
  }

  /** One layer must be there. */
  void requireFilled(Lot lot, int layer, String why) {
    requireFilled(lot, layer, layer + 1, Integer.MAX_VALUE, why);
  }

  /** So many bytes of each head must be there. */
  void requireFilled(Lot lot, int first, int end, int bytes, String why) {
    forEachByte(
        lot,
        (strip, at, place, token) -> {
          long layer = place >> 40;
          if (layer >= first
              && layer < end
              && (place & 0xffff) < bytes
              && strip.memory.get(ValueLayout.JAVA_BYTE, at) != content(lot.order, place, token)) {
            world
                .referee()
                .violated(why + ", and byte " + at + " of " + this + " is not what prefill wrote");
          }
        });
  }

  private interface Visitor {
    void at(Strip strip, int at, long place, int tokenInPage);
  }

  private interface TokenVisitor {
    void at(Strip strip, int at, long place, long token);
  }

  private void forEachByte(Lot lot, TokenVisitor visitor) {
    for (int position = 0; position < lot.pages.size(); position++) {
      int of = position;
      forEachByte(
          lot.pages.get(position),
          (strip, at, place, inPage) -> {
            long token = lot.token(of, inPage);
            if (lot.wants(token)) {
              visitor.at(strip, at, place, token);
            }
          });
    }
  }

  private void forEachByte(int page, Visitor visitor) {
    for (int layer = layout.firstLayer(); layer < layout.endLayer(); layer++) {
      for (int part = 0; part < layout.parts().size(); part++) {
        KvPart held = layout.parts().get(part);
        Strip strip = strips.get(layout.place(layer, part).region());
        long begin = layout.offset(layer, part, page);
        for (int token = 0; token < layout.pageTokens(); token++) {
          for (int head = 0; head < held.heads(); head++) {
            long row = begin + token * held.tokenStride() + head * held.headStride();
            long place = place(layer, part, held.firstHead() + head, token);
            for (int i = 0; i < held.headBytes(); i++) {
              visitor.at(strip, (int) row + i, place + i, token);
            }
          }
        }
      }
    }
  }

  private static long place(int layer, int part, int head, int token) {
    return ((long) layer << 40) | ((long) part << 32) | ((long) head << 24) | ((long) token << 16);
  }

  /** What a byte of an order's cache is, wherever it lies. */
  private static byte content(int order, long place, long token) {
    long mix = (place & ~(0xffL << 16)) * 0x9E3779B97F4A7C15L + order;
    mix = (mix ^ mix >>> 32) * 0xBF58476D1CE4E5B9L + token;
    mix = (mix ^ mix >>> 29) * 0x94D049BB133111EBL;
    return (byte) (mix >>> 56);
  }

  @Override
  public String toString() {
    return (isTarget ? "a target of " : "a source of ") + node;
  }
}
