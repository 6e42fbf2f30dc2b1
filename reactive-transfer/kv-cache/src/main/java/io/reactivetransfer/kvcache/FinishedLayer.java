package io.reactivetransfer.kvcache;

/**
 * Pages of one layer that have been computed and will not change any more: all of them, or those of
 * one chunk of a long prompt.
 *
 * @param layer which layer
 * @param first position of the first page in the page list of the request
 * @param pages how many from there on
 */
public record FinishedLayer(int layer, int first, int pages) {

  /** Checks the signs; the upper bounds are those of a request. */
  public FinishedLayer {
    if (layer < 0 || first < 0 || pages < 1) {
      throw new IllegalArgumentException(
          "expected layer >= 0, first >= 0 and pages >= 1, got layer "
              + layer
              + ", first "
              + first
              + " and pages "
              + pages);
    }
  }

  /** All pages that this request wants of a layer. */
  public static FinishedLayer whole(int layer, KvRequest request) {
    return new FinishedLayer(layer, 0, request.pages());
  }
}
