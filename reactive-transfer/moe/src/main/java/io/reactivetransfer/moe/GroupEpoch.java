package io.reactivetransfer.moe;

/**
 * Which group a message is about: those of one name follow each other, each in an epoch of its own.
 *
 * @param name 1 to 255 bytes of UTF-8, with any characters
 * @param epoch 0 or more; what comes later has a greater one
 */
record GroupEpoch(String name, long epoch) {

  /** For people. A group that was never made anew has no more than its name. */
  @Override
  public String toString() {
    return epoch == 0 ? shownName() : shownName() + " in epoch " + epoch;
  }

  /** The name, for people. */
  String shownName() {
    return Texts.oneLine(name);
  }
}
