package io.reactivetransfer.tools.soak;

/**
 * One life of one pair of engines.
 *
 * @param lane which pair
 * @param phase which of its lives
 * @param nics NICs of each engine
 * @param millis how long new rounds begin
 */
record Task(int lane, int phase, int nics, long millis) {

  String toLine() {
    return lane + " " + phase + " " + nics + " " + millis;
  }

  static Task of(String line) {
    String[] parts = line.split(" ", -1);
    return new Task(
        Integer.parseInt(parts[0]),
        Integer.parseInt(parts[1]),
        Integer.parseInt(parts[2]),
        Long.parseLong(parts[3]));
  }
}
