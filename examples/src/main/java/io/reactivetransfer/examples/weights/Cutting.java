package io.reactivetransfer.examples.weights;

/** How tensor-parallel ranks cut a tensor. */
enum Cutting {
  /** Each has some of the rows, as of the first matrix of a pair. */
  ROWS,
  /** Each has some of the columns, as of the second one. */
  COLUMNS,
  /** Each has all of it. */
  NONE
}
