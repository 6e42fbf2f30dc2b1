package io.reactivetransfer.weights.version;

/**
 * One life of a rank: what a process remembers of updates ends with it.
 *
 * @param name by which the application knows it; of one process at a time
 * @param incarnation drawn at random when it was opened, not 0
 */
record MemberId(String name, long incarnation) {}
