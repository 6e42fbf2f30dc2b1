package io.reactivetransfer.examples.jlama;

import java.time.Duration;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A node that runs, as the one sees it who has started it. */
interface NodeHandle {

  /** Takes what a node says, a word and the rest of a line; its end comes last, as the word. */
  interface Listener extends BiConsumer<String, String> {

    /** The word for the end of a node; the rest of the line says how it ended. */
    String END = "end";
  }

  /** Says something to it: a word and the rest of a line. */
  void tell(String word, String rest);

  /** Ends it without a warning. */
  void kill();

  /** Waits until it has ended by itself, not for ever; then says what is wrong, or null. */
  @Nullable String awaitEnd(Duration patience) throws InterruptedException;

  /** For people. */
  @Override
  String toString();
}
