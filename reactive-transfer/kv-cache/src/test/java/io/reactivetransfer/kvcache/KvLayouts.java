package io.reactivetransfer.kvcache;

import io.reactivetransfer.PageList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;

/** Layouts of all kinds, for a model that is cut among ranks. */
final class KvLayouts {

  static final int[] PAGE_TOKENS = {64, 16, 24, 1, 7};

  /** How the heads and tokens of a page are ordered. */
  enum Order {
    TOKEN_MAJOR,
    HEAD_MAJOR,
    /** With gaps between the heads, and between the tokens. */
    PADDED,
    /** With gaps between the heads and none behind the last head of a token. */
    EVENLY_PADDED
  }

  private final Random random;
  private final List<String> parts;
  private final int headBytes;

  /** A model with these parts. */
  KvLayouts(Random random, List<String> parts, int headBytes) {
    this.random = random;
    this.parts = parts;
    this.headBytes = headBytes;
  }

  private int upTo(int most) {
    return random.nextInt(most + 1);
  }

  private KvPart part(String name, int firstHead, int heads, int pageTokens) {
    int gap = 1 + upTo(3);
    long head = headBytes + gap;
    return switch (Order.values()[random.nextInt(Order.values().length)]) {
      case TOKEN_MAJOR -> KvPart.tokenMajor(name, firstHead, heads, headBytes);
      case HEAD_MAJOR -> KvPart.headMajor(name, firstHead, heads, headBytes, pageTokens);
      case PADDED -> new KvPart(name, firstHead, heads, headBytes, heads * head + gap, head);
      case EVENLY_PADDED -> new KvPart(name, firstHead, heads, headBytes, heads * head, head);
    };
  }

  /** What one rank has. */
  KvLayout of(int firstLayer, int layers, int firstHead, int heads, int pageTokens, int pages) {
    KvLayout.Builder builder =
        KvLayout.builder()
            .firstLayer(firstLayer)
            .layers(layers)
            .pageTokens(pageTokens)
            .pages(pages);
    if (parts.size() > 1 && random.nextInt(4) == 0) {
      return takingTurns(builder, firstHead, heads, pageTokens, pages);
    }
    List<KvPart> made = new ArrayList<>();
    for (String name : shuffled(parts)) {
      made.add(part(name, firstHead, heads, pageTokens));
    }
    made.forEach(builder::part);
    List<Long> pageBytes = made.stream().map(part -> part.pageBytes(pageTokens)).toList();
    return switch (random.nextInt(4)) {
      case 0 -> builder.build();
      case 1 -> builder.places(byPage(firstLayer, layers, pageBytes)).build();
      default -> builder.places(apart(pages, pageBytes)).build();
    };
  }

  /** All layers and parts of a page lie together. */
  private KvLayout.Builder.Places byPage(int firstLayer, int layers, List<Long> pageBytes) {
    long layerBytes = pageBytes.stream().mapToLong(bytes -> bytes).sum();
    long stride = layers * layerBytes + upTo(5);
    long offset = upTo(9);
    return (layer, part) -> {
      long before = pageBytes.stream().limit(part).mapToLong(bytes -> bytes).sum();
      return new KvPlace(0, offset + (layer - firstLayer) * layerBytes + before, stride);
    };
  }

  /** Layers in one to three regions, with gaps. */
  private KvLayout.Builder.Places apart(int pages, List<Long> pageBytes) {
    long[] ends = new long[1 + upTo(2)];
    IntSupplier region = shuffledCycle(ends.length);
    return (layer, part) -> {
      int in = region.getAsInt();
      long stride = pageBytes.get(part) + (random.nextBoolean() ? upTo(40) : 0);
      long offset = ends[in] + upTo(20);
      ends[in] = offset + pages * stride;
      return new KvPlace(in, offset, stride);
    };
  }

  /** Each of them before one comes again; the first ones may be all that is asked for. */
  private static IntSupplier shuffledCycle(int bound) {
    int[] next = {-1};
    return () -> {
      next[0] = (next[0] + 1) % bound;
      return next[0];
    };
  }

  /** The parts of a token, or of a head, lie side by side. */
  private KvLayout takingTurns(
      KvLayout.Builder builder, int firstHead, int heads, int pageTokens, int pages) {
    long row = (long) heads * headBytes;
    long token = row * parts.size() + upTo(3);
    for (String name : parts) {
      builder.part(new KvPart(name, firstHead, heads, headBytes, token, headBytes));
    }
    long stride = token * pageTokens + upTo(3);
    long[] layer = {0};
    return builder
        .places((number, part) -> {
          long begin = layer[0];
          layer[0] += part == parts.size() - 1 ? stride * pages : 0;
          return new KvPlace(0, begin + part * row, stride);
        })
        .build();
  }

  private List<String> shuffled(List<String> names) {
    List<String> copy = new ArrayList<>(names);
    Collections.shuffle(copy, random);
    return copy;
  }

  /** Pages for a span, in any order. */
  PageList pages(KvLayout layout, KvSpan span) {
    List<Integer> all = new ArrayList<>(IntStream.range(0, layout.pages()).boxed().toList());
    Collections.shuffle(all, random);
    int needed = (int) span.pages(layout.pageTokens());
    return PageList.of(all.stream().limit(needed).mapToInt(page -> page).toArray());
  }
}
