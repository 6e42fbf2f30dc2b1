package io.reactivetransfer.moe;

import java.lang.foreign.MemorySegment;

/**
 * Where the result of each pair of one's own group lies: where another rank has written it, in send
 * order; or, if it comes from an expert of this rank, in the row where that has put it.
 */
final class ResultPlaces {

  private final int rank;
  private final OwnRouting routing;
  private final Arrangement arrangement;
  private final MemorySegment returned;
  private final MemorySegment results;
  private final long stride;

  /**
   * Of the step that the routing and the arrangement are of.
   *
   * @param returned what others write
   * @param results what experts of this rank put there
   */
  ResultPlaces(
      MoeShape shape,
      int rank,
      OwnRouting routing,
      Arrangement arrangement,
      MemorySegment returned,
      MemorySegment results) {
    this.rank = rank;
    this.routing = routing;
    this.arrangement = arrangement;
    this.returned = returned;
    this.results = results;
    stride = shape.resultStride();
  }

  private boolean isOwn(int pair) {
    return routing.rank(pair) == rank;
  }

  /** The memory in which it lies. */
  MemorySegment memory(int pair) {
    return isOwn(pair) ? results : returned;
  }

  /** Where it begins there, in bytes. */
  long at(int pair) {
    int place = routing.place(pair);
    return stride * (isOwn(pair) ? arrangement.rowOfOwn(place) : place);
  }
}
