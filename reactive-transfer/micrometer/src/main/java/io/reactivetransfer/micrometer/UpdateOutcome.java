package io.reactivetransfer.micrometer;

/** What becomes of updates on one inference rank. */
enum UpdateOutcome {
  FLIPPED("flipped"),
  DROPPED("dropped");

  /** The value of the tag. */
  final String tag;

  UpdateOutcome(String tag) {
    this.tag = tag;
  }
}
