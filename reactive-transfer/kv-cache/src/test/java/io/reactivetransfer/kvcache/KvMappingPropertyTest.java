package io.reactivetransfer.kvcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a mapping says moves every byte to where the plain words of two layouts say, and no other.
 */
@Timeout(600)
class KvMappingPropertyTest {

  private static final int ROUNDS = 150 * Integer.getInteger("reactivetransfer.rounds", 1);
  private static final int[] RANKS = {1, 2, 4, 8};

  /** Ranks that have a model among them: each some of its layers and heads. */
  private record Ranks(List<KvLayout> all) {}

  private static final class Case {

    final Random random;
    final boolean latent;
    final int layers;
    final int firstLayer;
    final int heads;
    final KvLayouts layouts;
    final KvSpan span;

    Case(long seed) {
      random = new Random(seed);
      latent = random.nextInt(4) == 0;
      layers = 1 + random.nextInt(6);
      firstLayer = random.nextInt(3);
      heads = latent ? 1 : 8;
      layouts =
          new KvLayouts(
              random, latent ? List.of("latent") : List.of("k", "v"), 1 + random.nextInt(5));
      span = new KvSpan(random.nextInt(200), 1 + random.nextInt(300));
    }

    KvLayout layout(int first, int count, int firstHead, int heldHeads) {
      int pageTokens = KvLayouts.PAGE_TOKENS[random.nextInt(KvLayouts.PAGE_TOKENS.length)];
      int pages = (int) span.pages(pageTokens) + random.nextInt(5);
      return layouts.of(first, count, firstHead, heldHeads, pageTokens, pages);
    }

    /** A pipeline of one to three stages, each cut by heads in its own way. */
    Ranks ranks() {
      List<KvLayout> all = new ArrayList<>();
      int next = 0;
      while (next < layers) {
        int count =
            next < layers - 1 && random.nextBoolean()
                ? 1 + random.nextInt(layers - next - 1)
                : layers - next;
        int tensor = latent ? 1 : RANKS[random.nextInt(RANKS.length)];
        for (int rank = 0; rank < tensor; rank++) {
          int each = heads / tensor;
          all.add(layout(firstLayer + next, count, rank * each, each));
        }
        next += count;
      }
      return new Ranks(all);
    }
  }

  @Test
  void movesEveryByteToItsPlaceAndNoOther() {
    long seed = new Random().nextLong();
    for (int round = 0; round < ROUNDS; round++) {
      long one = seed + round;
      try {
        check(new Case(one));
      } catch (Throwable e) {
        throw new AssertionError("seed " + one, e);
      }
    }
  }

  private static void check(Case in) {
    List<KvLayout> layouts = in.ranks().all;
    List<KvModel> sources = new ArrayList<>();
    for (KvLayout layout : layouts) {
      KvModel source = new KvModel(layout, in.span, in.layouts.pages(layout, in.span));
      source.fill(layouts);
      sources.add(source);
    }
    for (KvLayout layout : in.ranks().all) {
      KvMapping.requireCover(layout, layouts);
      KvModel target = new KvModel(layout, in.span, in.layouts.pages(layout, in.span));
      for (KvModel source : sources) {
        if (haveSomethingInCommon(source.layout, layout)) {
          move(in, source, target);
        }
      }
      KvModel expected = new KvModel(layout, in.span, target.pages);
      expected.fill(layouts);
      if (!Arrays.deepEquals(target.regions, expected.regions)) {
        assertThat(target.regions).isDeepEqualTo(expected.regions); // slower, and says where
      }
    }
  }

  private static boolean haveSomethingInCommon(KvLayout one, KvLayout other) {
    KvPart part = one.parts().getFirst();
    KvPart otherPart = other.parts().getFirst();
    return one.firstLayer() < other.endLayer()
        && other.firstLayer() < one.endLayer()
        && part.firstHead() < otherPart.endHead()
        && otherPart.firstHead() < part.endHead();
  }

  private static void move(Case in, KvModel source, KvModel target) {
    KvMapping mapping = KvMapping.between(source.layout, target.layout);
    KvCuts cuts = mapping.cuts(in.span, source.pages, target.pages);
    long all = 0;
    long bytes = 0;
    List<KvSpan> chunks = chunks(in, source.layout.pageTokens(), target.layout.pageTokens());
    for (int layer = in.firstLayer; layer < in.firstLayer + in.layers; layer++) {
      long units = 0;
      for (KvSpan chunk : chunks) {
        long ofChunk = 0;
        for (KvTransferPart part : cuts.layer(layer, chunk)) {
          requireWritable(part);
          KvModel.move(part, source, target);
          ofChunk += part.units();
          bytes += part.bytes();
        }
        assertThat(ofChunk).isEqualTo(mapping.arrivals(layer, chunk.firstToken(), chunk.tokens()));
        units += ofChunk;
      }
      assertThat(units)
          .isEqualTo(mapping.arrivals(layer, in.span.firstToken(), in.span.tokens()))
          .isEqualTo(
              mapping.cut(layer, in.span, source.pages, target.pages).stream()
                  .mapToLong(KvTransferPart::units)
                  .sum());
      all += units;
    }
    assertThat(all).isEqualTo(mapping.arrivals(in.span.firstToken(), in.span.tokens()));
    assertThat(bytes).isEqualTo(mapping.bytes(in.span.firstToken(), in.span.tokens()));
    int stretches =
        KvModel.stretches(in.span, source.layout.pageTokens(), target.layout.pageTokens());
    assertThat(all % ((long) stretches * mapping.layers())).isZero();
  }

  /** What an engine asks of target pages. */
  private static void requireWritable(KvTransferPart part) {
    KvTransferPart.Side target = part.target();
    if (part.units() > 1) {
      assertThat(target.pageStride())
          .isGreaterThanOrEqualTo((part.rows() - 1) * target.rowStride() + part.rowBytes());
    }
    assertThat(part.source().pages().size()).isEqualTo(part.units());
  }

  /** Cut where a page of either side begins. */
  private static List<KvSpan> chunks(Case in, int oneSize, int otherSize) {
    List<KvSpan> chunks = new ArrayList<>();
    long begin = in.span.firstToken();
    for (long token = begin + 1; token < in.span.end(); token++) {
      boolean bound = token % oneSize == 0 || token % otherSize == 0;
      if (bound && in.random.nextInt(4) == 0) {
        chunks.add(new KvSpan(begin, token - begin));
        begin = token;
      }
    }
    chunks.add(new KvSpan(begin, in.span.end() - begin));
    return chunks;
  }

  @Test
  void aCoverThatLacksARankOrHasOneTwiceIsRefused() {
    long seed = new Random().nextLong();
    for (int round = 0; round < ROUNDS; round++) {
      Case in = new Case(seed + round);
      List<KvLayout> sources = in.ranks().all;
      KvLayout whole = in.layouts.of(in.firstLayer, in.layers, 0, in.heads, 16, 40);
      int at = in.random.nextInt(sources.size());
      List<KvLayout> lacking = new ArrayList<>(sources);
      KvLayout taken = lacking.remove(at);
      String head = "expected head " + taken.parts().getFirst().firstHead() + " of part ";
      String layer = " of layer " + taken.firstLayer() + " from one source, got it from ";
      assertThatThrownBy(() -> KvMapping.requireCover(whole, lacking))
          .as("seed %d", seed + round)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith(head)
          .hasMessageEndingWith(layer + "none of " + lacking.size() + " sources");
      List<KvLayout> twice = new ArrayList<>(sources);
      twice.add(taken);
      assertThatThrownBy(() -> KvMapping.requireCover(whole, twice))
          .as("seed %d", seed + round)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith(head)
          .hasMessageContaining(layer + "sources " + at + " and " + (twice.size() - 1));
    }
  }
}
