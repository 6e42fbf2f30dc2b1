package io.reactivetransfer.simulation.network;

import java.util.SplittableRandom;

/**
 * What a {@link SimulatedNetwork} does to those who use it. Chances are in thousandths, drawn for
 * each occasion.
 *
 * @param latency of a write, an acknowledgement or a message; writes overtake each other within it
 * @param turn from the doorbell to the turn that it causes, and from a signal to its task
 * @param refusal how long a NIC refuses when it has begun to
 * @param detection from when a link broke to when an end of it is told
 * @param silentNanos the same where nothing is said for long, as after a power cut
 * @param refuse that a post or a send begins a time of refusal
 * @param fail that a write fails though nothing is wrong with the link
 * @param split that a write lands in several parts
 * @param slow that something takes a hundred times as long as it should
 * @param silent that a peer which goes away, or an end of a link or a session that breaks, says
 *     nothing
 * @param duplicate that a message comes twice, which no backend may do: for finding out what
 *     happens
 * @param introduces whether NICs talk with each other, over the control channels of their engines,
 *     before they write
 * @param sourceFree whether a write is done when its source was read, before it lands
 * @param maxWriteBytes the longest write
 * @param queueDepth writes that one NIC has in flight at most
 * @param maxRows the most rows of one write
 * @param maxGather the most rows of one write that are gathered, up to as many
 * @param fences whether a NIC keeps out what comes late of a peer that its engine gave up
 */
public record Weather(
    Span latency,
    Span turn,
    Span refusal,
    Span detection,
    long silentNanos,
    int refuse,
    int fail,
    int split,
    int slow,
    int silent,
    int duplicate,
    boolean introduces,
    boolean sourceFree,
    long maxWriteBytes,
    int queueDepth,
    int maxRows,
    int maxGather,
    boolean fences) {

  static final int SLOWER = 100;

  /** A NIC tries again for so long, and no longer: what it was given it must report. */
  private static final int RETRIES_PER_SILENCE = 20;

  /** One whose NICs gather as many rows as they carry. */
  public Weather(
      Span latency,
      Span turn,
      Span refusal,
      Span detection,
      long silentNanos,
      int refuse,
      int fail,
      int split,
      int slow,
      int silent,
      int duplicate,
      boolean introduces,
      boolean sourceFree,
      long maxWriteBytes,
      int queueDepth,
      int maxRows,
      boolean fences) {
    this(
        latency,
        turn,
        refusal,
        detection,
        silentNanos,
        refuse,
        fail,
        split,
        slow,
        silent,
        duplicate,
        introduces,
        sourceFree,
        maxWriteBytes,
        queueDepth,
        maxRows,
        maxRows,
        fences);
  }

  /** Nothing fails, nothing is refused, everything is quick. */
  public static Weather calm() {
    return new Weather(
        new Span(500, 5_000),
        new Span(50, 500),
        new Span(1_000, 10_000),
        new Span(1_000, 100_000),
        1_000_000_000,
        0,
        0,
        0,
        0,
        0,
        0,
        false,
        false,
        1 << 20,
        64,
        16,
        true);
  }

  /** How long a NIC tries to get through where the other one says nothing. */
  long silentDetectionNanos() {
    return silentNanos / RETRIES_PER_SILENCE;
  }

  /** The longest that an end of a link may take to be told that it broke, both NICs being there. */
  public long longestDetectionNanos() {
    return Math.max(silentDetectionNanos(), detection.maxNanos() * SLOWER);
  }

  /** One duration of this kind; slow at times. */
  long draw(Span span, SplittableRandom random) {
    long nanos = span.draw(random);
    return happens(slow, random) ? nanos * SLOWER : nanos;
  }

  static boolean happens(int thousandths, SplittableRandom random) {
    return thousandths > 0 && random.nextInt(1_000) < thousandths;
  }
}
