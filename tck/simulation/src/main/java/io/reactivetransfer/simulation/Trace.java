package io.reactivetransfer.simulation;

import java.util.ArrayList;
import java.util.List;

/** What happened last, and a fingerprint of all that ever happened. */
public final class Trace {

  private static final int KEPT = 4_096;

  /** From Knuth: spreads the bits of what is mixed in. */
  private static final long SPREAD = 6_364_136_223_846_793_005L;

  private final long[] times = new long[KEPT];
  private final String[] whats = new String[KEPT];
  private final int[] nodes = new int[KEPT];
  private final long[] details = new long[KEPT];
  private int count;
  private long fingerprint;

  /** Notes something; nothing is formatted unless someone wants to read it. */
  void add(long nanos, int node, String what, long detail) {
    int slot = count++ & KEPT - 1;
    times[slot] = nanos;
    whats[slot] = what;
    nodes[slot] = node;
    details[slot] = detail;
    mix(nanos);
    mix(node);
    mix(what.hashCode());
    mix(detail);
  }

  private void mix(long value) {
    fingerprint = (fingerprint ^ value) * SPREAD + Long.rotateLeft(fingerprint, 23);
  }

  /** Of all that happened. */
  public long fingerprint() {
    return fingerprint;
  }

  /** The last so many lines, oldest first. */
  public List<String> last(int lines) {
    List<String> text = new ArrayList<>();
    int kept = Math.min(Math.min(lines, count), KEPT);
    for (int i = count - kept; i < count; i++) {
      int slot = i & KEPT - 1;
      text.add(
          String.format(
              "%,13d ns  %-9s %s %d",
              times[slot],
              nodes[slot] < 0 ? "network" : "engine " + nodes[slot],
              whats[slot],
              details[slot]));
    }
    return text;
  }
}
