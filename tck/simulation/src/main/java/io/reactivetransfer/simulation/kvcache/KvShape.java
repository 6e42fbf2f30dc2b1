package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.kvcache.KvLayout;
import io.reactivetransfer.kvcache.KvPart;
import io.reactivetransfer.kvcache.KvPlace;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A model's KV cache as all nodes know it: its layers and parts, and how the prefill nodes share
 * them. Each node lays its share out as it likes.
 *
 * @param firstLayer number of the first layer
 * @param layers how many
 * @param parts what each token has in each layer
 * @param ranks the shares; together they are all of it
 */
record KvShape(int firstLayer, int layers, List<Part> parts, List<Share> ranks) {

  private static final int[] HEADS = {1, 1, 2, 4};
  private static final int[] PAGE_TOKENS = {1, 2, 3, 4};

  /**
   * One part.
   *
   * @param name by which both sides know it
   * @param heads how many the model has
   * @param headBytes bytes of each
   */
  record Part(String name, int heads, int headBytes) {}

  /**
   * What one prefill node has.
   *
   * @param firstLayer number of the first layer
   * @param layers how many
   * @param slice which of the equal slices of the heads
   * @param slices how many slices there are
   */
  record Share(int firstLayer, int layers, int slice, int slices) {}

  static KvShape draw(SplittableRandom random) {
    int firstLayer = random.nextInt(3) == 0 ? 5 : 0;
    int layers = random.nextInt(1, 4);
    List<Part> parts = new ArrayList<>();
    for (int i = 0; i < 1 + random.nextInt(2); i++) {
      parts.add(
          new Part(i == 0 ? "k" : "v", HEADS[random.nextInt(HEADS.length)], random.nextInt(1, 5)));
    }
    return new KvShape(firstLayer, layers, parts, ranks(firstLayer, layers, parts, random));
  }

  private static List<Share> ranks(
      int firstLayer, int layers, List<Part> parts, SplittableRandom random) {
    int kind = random.nextInt(4);
    if (kind == 0 && layers > 1) {
      int cut = random.nextInt(1, layers);
      return List.of(
          new Share(firstLayer, cut, 0, 1), new Share(firstLayer + cut, layers - cut, 0, 1));
    }
    if (kind == 1 && parts.stream().allMatch(part -> part.heads % 2 == 0)) {
      return List.of(new Share(firstLayer, layers, 0, 2), new Share(firstLayer, layers, 1, 2));
    }
    return List.of(new Share(firstLayer, layers, 0, 1));
  }

  /** Whether two ranks have one half of the heads each, so that either could have the other's. */
  boolean isHalved() {
    return ranks.getFirst().slices == 2;
  }

  /** The same layout for another share of as many heads: what lies in it is something else. */
  KvLayout laidOutFor(Share share, KvLayout layout) {
    KvLayout.Builder builder =
        KvLayout.builder()
            .firstLayer(layout.firstLayer())
            .layers(layout.layers())
            .pages(layout.pages())
            .pageTokens(layout.pageTokens())
            .places(layout::place);
    for (KvPart part : layout.parts()) {
      builder.part(
          new KvPart(
              part.name(),
              share.slice * part.heads(),
              part.heads(),
              part.headBytes(),
              part.tokenStride(),
              part.headStride()));
    }
    return builder.build();
  }

  Share whole() {
    return new Share(firstLayer, layers, 0, 1);
  }

  /** One way to lay a share out, for at least so many tokens. */
  KvLayout layout(Share share, int tokens, SplittableRandom random) {
    int pageTokens = PAGE_TOKENS[random.nextInt(PAGE_TOKENS.length)];
    int pages = (tokens + pageTokens - 1) / pageTokens;
    KvLayout.Builder builder =
        KvLayout.builder()
            .firstLayer(share.firstLayer)
            .layers(share.layers)
            .pages(pages)
            .pageTokens(pageTokens);
    List<KvPart> laid = new ArrayList<>();
    for (Part part : parts) {
      int heads = part.heads / share.slices;
      laid.add(laidOut(part, share.slice * heads, heads, pageTokens, random));
    }
    laid.forEach(builder::part);
    if (random.nextInt(3) == 0) {
      builder.places(new Scattered(laid, pages, pageTokens, random)::next);
    }
    return builder.build();
  }

  private static KvPart laidOut(
      Part part, int firstHead, int heads, int pageTokens, SplittableRandom random) {
    int bytes = part.headBytes;
    return switch (random.nextInt(3)) {
      case 0 -> KvPart.headMajor(part.name, firstHead, heads, bytes, pageTokens);
      case 1 -> {
        int gap = random.nextInt(4);
        int head = bytes + random.nextInt(2);
        yield new KvPart(part.name, firstHead, heads, bytes, (long) heads * head + gap, head);
      }
      default -> KvPart.tokenMajor(part.name, firstHead, heads, bytes);
    };
  }

  /** Places in two regions, with gaps between pages and between layers. */
  private static final class Scattered {
    private final List<KvPart> parts;
    private final int pages;
    private final int pageTokens;
    private final int pageGap;
    private final int gap;
    private final boolean two;
    private final long[] next = new long[2];

    Scattered(List<KvPart> parts, int pages, int pageTokens, SplittableRandom random) {
      this.parts = parts;
      this.pages = pages;
      this.pageTokens = pageTokens;
      this.pageGap = random.nextInt(5);
      this.gap = random.nextInt(9);
      this.two = parts.size() == 2 && random.nextBoolean();
    }

    KvPlace next(int layer, int part) {
      int region = two ? part : 0;
      long stride = parts.get(part).pageBytes(pageTokens) + pageGap;
      KvPlace place = new KvPlace(region, next[region] + gap, stride);
      next[region] = place.offset() + stride * pages;
      return place;
    }
  }
}
