package io.reactivetransfer.kvcache;

/**
 * How a KV cache lies in one piece of memory: all pages of layer 0, then all pages of layer 1, and
 * so on, without gaps. A page index stands for one page in each layer.
 *
 * @param layers layers of the model, at least 1
 * @param poolPages pages that each layer has room for, at least 1
 * @param pageBytes bytes of one page of one layer, at least 1
 */
public record OldLayout(int layers, int poolPages, long pageBytes) {

  /** Checks the numbers, and that all of it can be addressed. */
  public OldLayout {
    requirePositive("layers", layers);
    requirePositive("pages in the pool", poolPages);
    requirePositive("bytes in a page", pageBytes);
    if (pageBytes > Long.MAX_VALUE / layers / poolPages) {
      throw new IllegalArgumentException(
          "expected a layout of less than 2^63 bytes, got "
              + layers
              + " layers of "
              + poolPages
              + " pages of "
              + pageBytes
              + " bytes");
    }
  }

  /** Bytes of all layers. */
  public long bytes() {
    return layers * layerBytes();
  }

  /** Bytes of one layer. */
  public long layerBytes() {
    return poolPages * pageBytes;
  }

  /**
   * Where a layer begins.
   *
   * @throws IndexOutOfBoundsException if there is no such layer
   */
  public long offset(int layer) {
    if (layer < 0 || layer >= layers) {
      throw new IndexOutOfBoundsException(
          "expected a layer of 0 to " + (layers - 1) + ", got " + layer);
    }
    return layer * layerBytes();
  }

  /**
   * Where a page of a layer begins.
   *
   * @throws IndexOutOfBoundsException if there is no such layer or page
   */
  public long offset(int layer, int page) {
    if (page < 0 || page >= poolPages) {
      throw new IndexOutOfBoundsException(
          "expected a page of 0 to " + (poolPages - 1) + ", got " + page);
    }
    return offset(layer) + page * pageBytes;
  }

  /** What the target counts for so many pages: each of them in each layer, and the tail. */
  public long arrivals(int pages) {
    return (long) layers * pages + 1;
  }

  private static void requirePositive(String what, long value) {
    if (value < 1) {
      throw new IllegalArgumentException("expected 1 or more " + what + ", got " + value);
    }
  }
}
