package io.reactivetransfer.examples.worker;

/** What a worker tells without being asked, from any thread. */
@FunctionalInterface
public interface Events {

  /** Something has happened: a word that says what, and what belongs to it, on one line. */
  void happened(String word, String rest);
}
