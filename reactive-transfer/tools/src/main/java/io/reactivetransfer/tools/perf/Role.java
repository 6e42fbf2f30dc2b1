package io.reactivetransfer.tools.perf;

/** One side of the benchmark: it is asked in lines, a word and what belongs to it, and answers. */
interface Role extends AutoCloseable {

  /** Does what the line says, and answers in one line. Throws if it failed. */
  String answer(String line) throws Exception;

  @Override
  void close();

  /** The part of a line before the first blank. */
  static String word(String line) {
    int blank = line.indexOf(' ');
    return blank < 0 ? line : line.substring(0, blank);
  }

  /** The rest of it, in parts. */
  static String[] rest(String line) {
    int blank = line.indexOf(' ');
    return blank < 0 ? new String[0] : line.substring(blank + 1).split(" ");
  }
}
