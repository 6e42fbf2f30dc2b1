package io.reactivetransfer.tools.process;

import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The process that has started this one, as this one sees it: it speaks by stdin and is told by
 * stdout. What must be secret is said here, because everybody can read a command line.
 */
public final class Parent {

  private static final int EXIT_CODE = 1;

  private final LineChannel channel = new LineChannel(System.in, System.out);

  /**
   * Begins to listen to it. When it is gone, this process ends, whatever it does.
   *
   * @param lines takes what it says, on a thread of its own
   * @param last whether it has nothing more to say behind this line: then it may go
   * @return that thread
   */
  public Thread listen(Consumer<String> lines, Predicate<String> last) {
    return channel.listen(
        "parent-watch",
        new LineChannel.Listener() {
          private boolean over;

          @Override
          public void line(String line) {
            over |= last.test(line);
            lines.accept(line);
          }

          @Override
          public void unreadable(String why) {
            System.err.println("what was said to this process cannot be read: " + why);
          }

          @Override
          public void ended() {
            if (!over) {
              Runtime.getRuntime().halt(EXIT_CODE);
            }
          }
        });
  }

  /** Tells it something: a word and the rest of a line. */
  public void tell(String word, String rest) {
    channel.tell(word + " " + rest);
  }
}
