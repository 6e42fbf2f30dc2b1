package io.reactivetransfer.kvcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.reactivetransfer.PageList;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KvMappingTest {

  private static final int HEAD = 128;

  /** Keys and values of some heads, token by token. */
  private static KvLayout byToken(int layers, int pages, int pageTokens, int first, int heads) {
    return KvLayout.contiguous(
        layers,
        pages,
        pageTokens,
        KvPart.tokenMajor("k", first, heads, HEAD),
        KvPart.tokenMajor("v", first, heads, HEAD));
  }

  /** The same, head by head. */
  private static KvLayout byHead(int layers, int pages, int pageTokens, int first, int heads) {
    return KvLayout.contiguous(
        layers,
        pages,
        pageTokens,
        KvPart.headMajor("k", first, heads, HEAD, pageTokens),
        KvPart.headMajor("v", first, heads, HEAD, pageTokens));
  }

  private static KvSpan whole(int pages, int pageTokens) {
    return new KvSpan(0, (long) pages * pageTokens);
  }

  private static List<KvTransferPart> cut(
      KvLayout source, KvLayout target, KvSpan span, PageList from, PageList to) {
    return KvMapping.between(source, target).cut(0, span, from, to);
  }

  @Test
  void equalPagesAreOneTransferPerPartWithTheListsThatWereGiven() {
    KvLayout layout = byToken(2, 10_000, 16, 0, 8);
    PageList from = PageList.range(0, 10_000);
    PageList to = PageList.of(IntStream.range(0, 10_000).map(i -> 9_999 - i).toArray());
    List<KvTransferPart> parts =
        KvMapping.between(layout, layout).cut(1, whole(10_000, 16), from, to);
    assertThat(parts).hasSize(2);
    for (int i = 0; i < 2; i++) {
      KvTransferPart part = parts.get(i);
      assertThat(part.rows()).isEqualTo(1);
      assertThat(part.rowBytes()).isEqualTo(16 * 8 * HEAD);
      assertThat(part.source().pages()).isSameAs(from);
      assertThat(part.target().pages()).isSameAs(to);
      assertThat(part.target().offset()).isEqualTo(layout.place(1, i).offset());
      assertThat(part.target().pageStride()).isEqualTo(16 * 8 * HEAD);
    }
  }

  /** What has nothing to do with the test is counted, too; so the best of several is taken. */
  private static long allocatedBy(Runnable work) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 20; i++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      work.run();
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }

  @Test
  void cuttingEqualPagesMakesNoObjectPerPage() {
    KvLayout layout = byToken(2, 10_000, 16, 0, 8);
    PageList pages = PageList.range(0, 10_000);
    KvMapping mapping = KvMapping.between(layout, layout);
    assertThat(allocatedBy(() -> mapping.cut(0, whole(10_000, 16), pages, pages)))
        .isLessThan(9 * 10_000); // two numbers per page, for as long as it takes
    KvCuts cuts = mapping.cuts(whole(10_000, 16), pages, pages);
    cuts.layer(0);
    assertThat(allocatedBy(() -> cuts.layer(1))).isLessThan(2_000);
  }

  @ParameterizedTest
  @CsvSource({"64,16", "16,64", "64,32", "24,8"})
  void pagesOfOneSizeGoIntoPagesThatDivideItInOneTransferPerPart(int from, int to) {
    int tokens = 960;
    KvLayout source = byToken(1, 130, from, 0, 8);
    KvLayout target = byToken(1, 130, to, 0, 8);
    List<KvTransferPart> parts =
        cut(
            source,
            target,
            new KvSpan(0, tokens),
            PageList.range(1, tokens / from),
            PageList.range(2, tokens / to));
    assertThat(parts).hasSize(2);
    assertThat(parts.getFirst().units()).isEqualTo(tokens / Math.min(from, to));
    assertThat(parts.getFirst().unitBytes()).isEqualTo(Math.min(from, to) * 8L * HEAD);
  }

  @Test
  void aSliceOfTheHeadsOfPagesByHeadIsOneRow() {
    List<KvTransferPart> parts =
        cut(
            byHead(1, 10, 16, 0, 8),
            byHead(1, 10, 16, 2, 2),
            whole(10, 16),
            PageList.range(0, 10),
            PageList.range(0, 10));
    assertThat(parts).hasSize(2);
    assertThat(parts.getFirst().rows()).isEqualTo(1);
    assertThat(parts.getFirst().rowBytes()).isEqualTo(2 * 16 * HEAD);
    assertThat(parts.getFirst().source().offset()).isEqualTo(2 * 16 * HEAD);
    assertThat(parts.getFirst().target().offset()).isZero();
  }

  @Test
  void aSliceOfTheHeadsOfPagesByTokenIsOneRowPerToken() {
    KvMapping mapping = KvMapping.between(byToken(1, 10, 16, 0, 8), byToken(1, 10, 16, 2, 2));
    List<KvTransferPart> parts =
        mapping.cut(0, whole(10, 16), PageList.range(0, 10), PageList.range(0, 10));
    assertThat(parts).hasSize(2);
    assertThat(parts.getFirst().rows()).isEqualTo(16);
    assertThat(parts.getFirst().rowBytes()).isEqualTo(2 * HEAD);
    assertThat(parts.getFirst().source().rowStride()).isEqualTo(8 * HEAD);
    assertThat(parts.getFirst().target().rowStride()).isEqualTo(2 * HEAD);
    assertThat(mapping.arrivals(0, 160)).isEqualTo(2 * 10);
  }

  @Test
  void headsOfPagesThatAreOrderedDifferentlyAreCountedEach() {
    KvMapping mapping = KvMapping.between(byToken(3, 10, 16, 0, 8), byHead(3, 10, 16, 0, 8));
    assertThat(mapping.arrivals(0, 160)).isEqualTo(3 * 2 * 8 * 10);
    List<KvTransferPart> parts =
        mapping.cut(2, whole(10, 16), PageList.range(0, 10), PageList.range(0, 10));
    assertThat(parts).hasSize(16).allMatch(part -> part.rows() == 16 && part.rowBytes() == HEAD);
  }

  @Test
  void pagesThatDoNotDivideEachOtherAreCutAtTheBoundsOfBoth() {
    KvLayout source = KvLayout.contiguous(1, 3, 64, KvPart.whole("latent", 576));
    KvLayout target = KvLayout.contiguous(1, 8, 24, KvPart.whole("latent", 576));
    KvMapping mapping = KvMapping.between(source, target);
    assertThat(mapping.arrivals(0, 192)).isEqualTo(10);
    assertThat(mapping.arrivals(10, 60)).isEqualTo(4); // 24, 48 and 64 lie within
    assertThat(mapping.bytes(10, 60)).isEqualTo(60 * 576);
    assertThat(mapping.arrivals(10, 0)).isZero();
  }

  @Test
  void countsOnlyTheLayersThatBothHave() {
    KvLayout source =
        KvLayout.builder()
            .firstLayer(4)
            .layers(4)
            .pages(3)
            .pageTokens(16)
            .part(KvPart.whole("latent", 8))
            .build();
    KvLayout target = KvLayout.contiguous(6, 3, 16, KvPart.whole("latent", 8));
    KvMapping mapping = KvMapping.between(source, target);
    assertThat(mapping.firstLayer()).isEqualTo(4);
    assertThat(mapping.layers()).isEqualTo(2);
    assertThat(mapping.arrivals(3, 0, 48)).isZero();
    assertThat(mapping.arrivals(4, 0, 48)).isEqualTo(3);
    assertThat(mapping.arrivals(0, 48)).isEqualTo(6);
    assertThat(mapping.cut(3, whole(3, 16), PageList.range(0, 3), PageList.range(0, 3))).isEmpty();
  }

  @Test
  void layoutsThatCannotBeMappedAreRefused() {
    KvLayout heads = byToken(2, 3, 16, 0, 4);
    KvLayout longer = KvLayout.contiguous(2, 3, 16, KvPart.tokenMajor("k", 0, 4, 2 * HEAD));
    assertThatThrownBy(() -> KvMapping.between(longer, heads))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "expected heads of 128 bytes in part k, as the target has them, got a source with heads"
                + " of 256");
    KvLayout opaque = KvLayout.opaque(2, 3, 4_096);
    assertThatThrownBy(() -> KvMapping.between(opaque, heads))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("expected a source that has layers and heads of the target (layers")
        .hasMessageContaining("got layers 0 to 1, 3 pages of 1 tokens");
    assertThatThrownBy(() -> KvMapping.between(byToken(2, 3, 16, 4, 4), heads))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("expected a source that has layers and heads of the target");
  }

  @Test
  void countsThatCannotBeToldAreRefused() {
    KvMapping mapping = KvMapping.between(byToken(2, 3, 1, 0, 4), byToken(2, 3, 16, 0, 4));
    assertThatThrownBy(() -> mapping.arrivals(0, Long.MAX_VALUE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected less than 2^63 arrivals, got 36893488147419103228");
    assertThatThrownBy(() -> mapping.bytes(1, Long.MAX_VALUE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("an end below 2^63");
  }

  @Test
  void listsThatDoNotFitTheSpanAreRefused() {
    KvMapping mapping = KvMapping.between(byToken(2, 30, 16, 0, 4), byToken(2, 9, 64, 0, 4));
    KvSpan span = new KvSpan(60, 8);
    PageList two = PageList.range(0, 2);
    assertThat(mapping.cut(0, span, two, two)).hasSize(2);
    assertThatThrownBy(() -> mapping.cut(0, span, two, PageList.range(0, 1)))
        .hasMessage("expected 2 target pages of 64 tokens for tokens 60 to 68 (exclusive), got 1");
    assertThatThrownBy(() -> mapping.cut(0, span, PageList.range(0, 3), two))
        .hasMessage("expected 2 source pages of 16 tokens for tokens 60 to 68 (exclusive), got 3");
    assertThatThrownBy(() -> mapping.cut(0, span, two, PageList.range(8, 2)))
        .hasMessage("expected target pages of 0 to 8, got page 9");
    assertThatThrownBy(() -> mapping.cut(0, new KvSpan(60, 0), two, two))
        .hasMessage("expected 1 or more tokens, got none");
  }

  @Test
  void chunksThatCutAUnitAreRefused() {
    KvLayout layout = byToken(2, 30, 16, 0, 4);
    KvCuts cuts =
        KvMapping.between(layout, layout)
            .cuts(new KvSpan(8, 40), PageList.range(0, 3), PageList.range(3, 3));
    assertThat(cuts.layer(0, new KvSpan(8, 8))).hasSize(2);
    assertThat(cuts.layer(0, new KvSpan(16, 32))).hasSize(2);
    assertThatThrownBy(() -> cuts.layer(0, new KvSpan(8, 10)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "expected a chunk that begins and ends with the tokens 8 to 48 (exclusive), or at a"
                + " page bound (a multiple of 16 or 16), got tokens 8 to 18 (exclusive)");
    assertThatThrownBy(() -> cuts.layer(0, new KvSpan(0, 16)))
        .hasMessage(
            "expected a chunk of 1 or more of the tokens 8 to 48 (exclusive), got tokens 0 to 16"
                + " (exclusive)");
    assertThatThrownBy(() -> cuts.layer(0, new KvSpan(16, 0)))
        .hasMessageStartingWith("expected a chunk of 1 or more of the tokens 8 to 48");
  }

  @Test
  void aCoverNamesWhatIsHeldTwice() {
    KvLayout half = byToken(2, 3, 16, 0, 4);
    KvLayout overlapping = byToken(2, 3, 16, 3, 5);
    KvLayout all = byToken(2, 3, 16, 0, 8);
    assertThatThrownBy(() -> KvMapping.requireCover(all, List.of(overlapping, half)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "expected head 3 of part k of layer 0 from one source, got it from sources 0 and 1;"
                + " take one of those that hold the same");
    assertThatThrownBy(() -> KvMapping.requireCover(all, List.of()))
        .hasMessage(
            "expected head 0 of part k of layer 0 from one source, got it from none of 0 sources");
  }
}
