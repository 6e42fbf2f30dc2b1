package io.reactivetransfer.examples.observe;

import java.util.List;

/** Engines that are well, then in trouble, then well again. */
interface Scenario extends AutoCloseable {

  /** What is looked at. */
  List<Column> columns();

  /** What happens, in this order. */
  List<Act> acts();

  /**
   * Goes on if nothing has failed but what is to fail.
   *
   * @throws IllegalStateException if something has
   */
  void check();

  @Override
  void close();
}
