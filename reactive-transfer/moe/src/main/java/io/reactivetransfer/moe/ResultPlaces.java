package io.reactivetransfer.moe;

/**
 * Where the result of each pair of one's own group lies: where another rank has written it, in send
 * order; or, if it comes from an expert of this rank, in the row where that has put it.
 */
final class ResultPlaces {

  private final int rank;
  private final OwnRouting routing;
  private final Arrangement arrangement;
  private final long returned;
  private final long results;
  private final long stride;

  /**
   * Of the step that the routing and the arrangement are of.
   *
   * @param returned where begins what others write, in bytes from the beginning of the memory
   * @param results where begins what experts of this rank put there
   */
  ResultPlaces(
      MoeShape shape,
      int rank,
      OwnRouting routing,
      Arrangement arrangement,
      long returned,
      long results) {
    this.rank = rank;
    this.routing = routing;
    this.arrangement = arrangement;
    this.returned = returned;
    this.results = results;
    stride = shape.resultStride();
  }

  /** Where it begins, in bytes from the beginning of the rank's memory. */
  long at(int pair) {
    int place = routing.place(pair);
    return routing.rank(pair) == rank
        ? results + stride * arrangement.rowOfOwn(place)
        : returned + stride * place;
  }
}
