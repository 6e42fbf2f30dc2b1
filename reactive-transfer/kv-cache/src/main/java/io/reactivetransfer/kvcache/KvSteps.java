package io.reactivetransfer.kvcache;

import io.reactivetransfer.PageList;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the units of one side of a transfer begin, as pages of a transfer: at multiples of a stride
 * from an offset on. Offsets count from the first row of the layout's page 0.
 */
final class KvSteps {

  /** Some of the units: the first is so many bytes into its page, and the others are alike. */
  private record Some(long offset, PageList pages) {}

  private final long pageStride;
  private final long least;
  private final List<Some> parts = new ArrayList<>();
  private long stride;
  private long smallest;
  private long largest;
  private @Nullable PageList joined;

  /**
   * Units that are alike.
   *
   * @param offset where each begins in its page
   * @param pageStride bytes from page to page
   * @param least the least stride at which they do not overlap
   * @param pages the page of each
   */
  KvSteps(long offset, long pageStride, long least, PageList pages) {
    this.pageStride = pageStride;
    this.least = least;
    this.stride = pages.size() > 1 ? pageStride : 0;
    this.smallest = smallestOf(pages) * pageStride + offset;
    this.largest = pages.largest() * pageStride + offset;
    parts.add(new Some(offset, pages));
  }

  private static long smallestOf(PageList pages) {
    int smallest = pages.get(0);
    for (int i = 1; i < pages.size(); i++) {
      smallest = Math.min(smallest, pages.get(i));
    }
    return smallest;
  }

  /** Whether all of these and those begin at multiples of one stride, without overlapping. */
  boolean canJoin(KvSteps others) {
    long common = common(others);
    long range = Math.max(largest, others.largest) - Math.min(smallest, others.smallest);
    return common >= least && range / common <= Integer.MAX_VALUE;
  }

  private long common(KvSteps others) {
    long apart = Math.abs(others.smallest - smallest);
    return KvMapping.gcd(KvMapping.gcd(stride, others.stride), apart);
  }

  /** Takes those in, if it {@linkplain #canJoin can}. */
  void join(KvSteps others) {
    stride = common(others);
    smallest = Math.min(smallest, others.smallest);
    largest = Math.max(largest, others.largest);
    parts.addAll(others.parts);
  }

  /** Where page 0 begins. */
  long offset() {
    return parts.size() == 1 ? parts.getFirst().offset : smallest;
  }

  /** Bytes from page to page. */
  long stride() {
    return parts.size() == 1 ? pageStride : stride;
  }

  /** The pages, in the order in which the units were given. */
  PageList pages() {
    if (parts.size() == 1) {
      return parts.getFirst().pages;
    }
    PageList pages = joined;
    if (pages == null) {
      pages = PageList.of(indices());
      joined = pages;
    }
    return pages;
  }

  private int[] indices() {
    int[] indices = new int[parts.stream().mapToInt(part -> part.pages.size()).sum()];
    int next = 0;
    for (Some part : parts) {
      for (int i = 0; i < part.pages.size(); i++) {
        long begin = part.pages.get(i) * pageStride + part.offset;
        indices[next++] = (int) ((begin - smallest) / stride);
      }
    }
    return indices;
  }
}
