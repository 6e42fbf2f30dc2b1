package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.kvcache.KvLayout;
import io.reactivetransfer.kvcache.KvPart;
import io.reactivetransfer.tools.ByteCount;
import org.jspecify.annotations.Nullable;

/**
 * How much is handed over.
 *
 * @param layers layers of the model
 * @param pages pages of each layer
 * @param pageBytes bytes of a page
 * @param rows of which a page consists at prefill: 1 if it lies there as it does at decode, else
 *     its tokens, of which decode has one of two heads
 */
record Shape(int layers, int pages, long pageBytes, int rows) {

  static final int DEFAULT_LAYERS = 61;
  static final int DEFAULT_PAGES = 256;
  static final int MAX_LAYERS = 1_024;

  /** What fits into the longest message that an engine can be told to send, and some more. */
  static final int MAX_PAGES = 15_000;

  static final long MAX_PAGE_BYTES = 1L << 30;
  static final int MAX_ROWS = 4_096;

  /** Checks the bounds. */
  Shape {
    requireWithin("--layers", layers, MAX_LAYERS);
    requireWithin("--pages", pages, MAX_PAGES);
    requireWithin("--page-size", pageBytes, MAX_PAGE_BYTES);
    requireWithin("--rows", rows, MAX_ROWS);
    if (pageBytes % rows != 0) {
      throw new IllegalArgumentException(
          "expected --rows that cut a page of "
              + new ByteCount(pageBytes)
              + " into equal parts, got "
              + rows);
    }
  }

  /** One of whole pages. */
  Shape(int layers, int pages, long pageBytes) {
    this(layers, pages, pageBytes, 1);
  }

  /** The same, with pages of so many rows. */
  Shape inRows(int count) {
    return new Shape(layers, pages, pageBytes, count);
  }

  /** What was asked for, and the defaults. */
  static Shape of(@Nullable Integer layers, @Nullable Integer pages, long pageBytes) {
    return new Shape(
        layers == null ? DEFAULT_LAYERS : layers, pages == null ? DEFAULT_PAGES : pages, pageBytes);
  }

  /** Chooses what was not asked for so that a file fits, with as little to spare as possible. */
  static Shape forFile(
      long fileBytes, @Nullable Integer layers, @Nullable Integer pages, long pageBytes) {
    requireWithin("--page-size", pageBytes, MAX_PAGE_BYTES);
    long needed = Math.max(1, Math.ceilDiv(fileBytes, pageBytes));
    long chosenLayers;
    long chosenPages;
    if (pages != null) {
      requireWithin("--pages", pages, MAX_PAGES);
      chosenPages = pages;
      chosenLayers = layers == null ? Math.ceilDiv(needed, chosenPages) : layers;
    } else {
      chosenLayers = layers == null ? Math.min(DEFAULT_LAYERS, needed) : layers;
      requireWithin("--layers", chosenLayers, MAX_LAYERS);
      chosenPages = Math.ceilDiv(needed, chosenLayers);
    }
    if (chosenLayers > MAX_LAYERS || chosenPages > MAX_PAGES) {
      throw new IllegalArgumentException(
          "the file needs " + needed + " pages, too many; use a larger --page-size");
    }
    Shape shape = new Shape((int) chosenLayers, (int) chosenPages, pageBytes);
    if (shape.bytes() < fileBytes) {
      throw new IllegalArgumentException(
          "the file of "
              + new ByteCount(fileBytes)
              + " does not fit into "
              + shape
              + "; leave --layers or --pages away to have it chosen");
    }
    return shape;
  }

  /** Bytes of all pages. */
  long bytes() {
    return (long) layers * pages * pageBytes;
  }

  /** Pages of all layers. */
  int allPages() {
    return layers * pages;
  }

  /** What the target counts: each page of each layer, and the tail. */
  long arrivals() {
    return allPages() + 1L;
  }

  /** The memory of decode: a pool somewhat larger than what one hand-over takes from it. */
  KvLayout layout() {
    return layout(1);
  }

  /** The same for so many hand-overs at once. */
  KvLayout layout(int handOvers) {
    int pool = pages * handOvers + Math.max(1, pages / 8);
    return rows == 1
        ? KvLayout.opaque(layers, pool, pageBytes)
        : KvLayout.contiguous(layers, pool, rows, KvPart.tokenMajor("kv", 1, 1, (int) rowBytes()));
  }

  /** The memory of prefill, which has both heads of each token if decode has one of them. */
  KvLayout sourceLayout() {
    return rows == 1
        ? layout()
        : KvLayout.contiguous(
            layers, layout().pages(), rows, KvPart.tokenMajor("kv", 0, 2, (int) rowBytes()));
  }

  /** Bytes of a row of a page. */
  long rowBytes() {
    return pageBytes / rows;
  }

  @Override
  public String toString() {
    String all =
        String.format("%,d layers x %,d pages of %s", layers, pages, new ByteCount(pageBytes));
    return rows == 1 ? all : all + String.format(" in %,d rows", rows);
  }

  private static void requireWithin(String option, long value, long max) {
    if (value < 1 || value > max) {
      throw new IllegalArgumentException(
          String.format("expected %s of 1 to %d, got %d", option, max, value));
    }
  }
}
