package io.reactivetransfer.tools.perf;

/**
 * What a path between two hosts came to.
 *
 * @param p50Micros median of a write of 8 bytes there and one back
 * @param p99Micros of the same
 * @param bytesPerSecond of writes of 1 MiB, one way
 */
public record PathFigures(double p50Micros, double p99Micros, double bytesPerSecond) {}
