package io.reactivetransfer.tools.soak;

/**
 * Which stream of which engines, for plans, contents and texts.
 *
 * @param seed the plan's
 * @param task the pair of engines
 * @param origin the side that writes, 0 or 1
 * @param stream which of its streams
 */
record Where(long seed, Task task, int origin, int stream) {

  /** What decides a round: another number for each of all streams and rounds. */
  long stamp(long round) {
    long place = (((long) task.lane() << 24 | task.phase()) << 2 | origin) << 16 | stream;
    return Content.mix(Content.mix(Content.mix(seed) + place) + round);
  }

  String round(int number) {
    return this + ", round " + number;
  }

  /** For people. */
  @Override
  public String toString() {
    return "stream %d from side %d, engines %d.%d with %d NICs, seed %d"
        .formatted(stream, origin, task.lane(), task.phase(), task.nics(), seed);
  }
}
