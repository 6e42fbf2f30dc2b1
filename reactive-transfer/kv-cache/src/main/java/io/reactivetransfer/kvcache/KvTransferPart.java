package io.reactivetransfer.kvcache;

import io.reactivetransfer.PageList;

/**
 * One transfer of a {@link KvMapping}: equal units of one layer and part, each of so many rows.
 * Unit {@code i} goes from page {@code i} of the source's list to page {@code i} of the target's,
 * and is counted once.
 *
 * @param layer the model's number of the layer
 * @param part name of the part
 * @param rowBytes bytes of one row
 * @param rows rows of a unit; 1 if it has no gaps on either side
 * @param source where the units are read
 * @param target where they go
 */
public record KvTransferPart(
    int layer, String part, long rowBytes, int rows, Side source, Side target) {

  /**
   * The units on one side. Row {@code r} of unit {@code i} begins at {@code offset + pages.get(i) *
   * pageStride + r * rowStride} of the region. These pages are those of the transfer, which may be
   * smaller than the layout's.
   *
   * @param region which of the layout's regions
   * @param offset where page 0 begins in it
   * @param pageStride bytes from page to page
   * @param pages which pages
   * @param rowStride bytes from row to row of a unit
   */
  public record Side(int region, long offset, long pageStride, PageList pages, long rowStride) {}

  /** How many units, and so how often it is counted. */
  public int units() {
    return target.pages().size();
  }

  /** Bytes of one unit. */
  public long unitBytes() {
    return rowBytes * rows;
  }

  /** Bytes of all units. */
  public long bytes() {
    return unitBytes() * units();
  }
}
