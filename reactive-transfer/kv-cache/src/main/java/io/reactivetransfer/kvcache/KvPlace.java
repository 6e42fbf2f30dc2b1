package io.reactivetransfer.kvcache;

/**
 * Where the pages of one part of one layer lie.
 *
 * @param region in which of the layout's regions, 0 or more
 * @param offset where page 0 begins in it, 0 or more
 * @param pageStride bytes from the beginning of a page to that of the next, at least 1
 */
public record KvPlace(int region, long offset, long pageStride) {

  /** Checks the signs; the upper bounds are those of a layout. */
  public KvPlace {
    if (region < 0 || offset < 0 || pageStride < 1) {
      throw new IllegalArgumentException(
          "expected a region and an offset of 0 or more and a page stride of 1 or more, got region "
              + region
              + ", offset "
              + offset
              + " and page stride "
              + pageStride);
    }
  }
}
