package io.reactivetransfer.tools.perf;

/**
 * How long writes of 8 bytes to another host and back take.
 *
 * @param p50Micros the median
 * @param p99Micros what 99 of 100 do not exceed
 */
public record RoundTrip(double p50Micros, double p99Micros) {}
