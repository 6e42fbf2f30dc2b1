package io.reactivetransfer.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.PagedWrite;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How many tokens go at once, of whatever tokens a request names. */
class LongestUnitsTest {

  private static KvLayout layout(int pageTokens) {
    return KvLayout.builder()
        .layers(1)
        .pages(4)
        .pageTokens(pageTokens)
        .part(KvPart.tokenMajor("kv", 0, 1, 64))
        .build();
  }

  private static List<PagedWrite.Rows> longest(int ofSource, int ofTarget, KvSpan span) {
    KvMapping mapping = KvMapping.between(layout(ofSource), layout(ofTarget));
    // On a thread of its own, which a loop without end would keep.
    return CompletableFuture.supplyAsync(() -> mapping.longestUnits(span))
        .orTimeout(20, TimeUnit.SECONDS)
        .join();
  }

  /** The end of the page of the last token is beyond what a long takes. */
  @Test
  void theLastTokensThatThereCanBe() {
    KvSpan last = new KvSpan(Long.MAX_VALUE - 5, 5);
    assertThat(longest(16, 16, last)).isEqualTo(longest(16, 16, new KvSpan(10, 5)));
    assertThat(longest(16, 4, last)).isEqualTo(longest(16, 4, new KvSpan(10, 5)));
  }

  @Test
  void noneIsLongerThanWhatIsLeftOfAPage() {
    assertThat(longest(16, 4, new KvSpan(3, 30))).isEqualTo(longest(4, 16, new KvSpan(4, 4)));
    assertThat(longest(16, 16, new KvSpan(3, 30))).isEqualTo(longest(16, 16, new KvSpan(16, 16)));
  }
}
