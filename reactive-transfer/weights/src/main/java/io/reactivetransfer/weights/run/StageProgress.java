package io.reactivetransfer.weights.run;

/**
 * How far one stage of a run is.
 *
 * @param steps how many steps have passed it
 * @param bytes how many bytes have
 * @param nanos how long threads have worked on it, all of them together
 */
public record StageProgress(long steps, long bytes, long nanos) {}
