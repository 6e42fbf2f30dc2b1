package io.reactivetransfer.kvcache;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * What one prefill node sends of an order, as counts: both sides come to the same ones, because
 * both compute them by {@link KvMapping}.
 */
final class Expected {

  /** Claims are made in parts, so that it is known how fast it comes. */
  private static final int PARTS = 8;

  /** What is claimed under one immediate. */
  interface Claim {

    /**
     * So many arrivals are waited for.
     *
     * @param imm which of the leg's immediates
     * @param met what to do when they are there
     */
    void of(int imm, long arrivals, Runnable met);
  }

  private final long[] counts;
  private final long total;
  private final boolean tail;
  private final int firstLayer;
  private final IntConsumer layerDone;

  private Expected(long[] counts, boolean tail, int firstLayer, IntConsumer layerDone) {
    this.counts = counts;
    this.tail = tail;
    this.firstLayer = firstLayer;
    this.layerDone = layerDone;
    long sum = 0;
    for (long count : counts) {
      sum += count;
    }
    this.total = sum;
  }

  /** All of it under one immediate. */
  static Expected inAll(KvSource source, KvSpan span, boolean tail) {
    long units =
        span.tokens() == 0 ? 0 : source.mapping().arrivals(span.firstToken(), span.tokens());
    return new Expected(new long[] {units + (tail ? 1 : 0)}, tail, 0, layer -> {});
  }

  /**
   * Each layer of the target under an immediate of its own, and the tail under the last one.
   *
   * @param layerDone is told the number of each layer of which something was expected
   */
  static Expected byLayer(KvSource source, KvSpan span, boolean tail, IntConsumer layerDone) {
    KvMapping mapping = source.mapping();
    KvLayout target = mapping.target();
    long[] counts = new long[target.layers() + 1];
    for (int i = 0; i < target.layers() && span.tokens() > 0; i++) {
      counts[i] = mapping.arrivals(target.firstLayer() + i, span.firstToken(), span.tokens());
    }
    counts[target.layers()] = tail ? 1 : 0;
    return new Expected(counts, tail, target.firstLayer(), layerDone);
  }

  /** How many immediates it takes. */
  int imms() {
    return counts.length;
  }

  /** All of it. */
  long total() {
    return total;
  }

  boolean tail() {
    return tail;
  }

  /** The layers of which something is expected; empty if all is under one immediate. */
  List<Integer> layers() {
    List<Integer> layers = new ArrayList<>();
    for (int i = 0; i < counts.length - 1; i++) {
      if (counts[i] > 0) {
        layers.add(firstLayer + i);
      }
    }
    return layers;
  }

  /** Makes all claims, the first arrival as one of its own. */
  void claims(Claim claim) {
    if (counts.length == 1) {
      inParts(claim);
      return;
    }
    for (int i = 0; i < counts.length; i++) {
      int layer = firstLayer + i;
      boolean isLayer = i < counts.length - 1;
      Runnable whole = isLayer ? () -> layerDone.accept(layer) : () -> {};
      if (counts[i] > 1) {
        claim.of(i, 1, () -> {});
        claim.of(i, counts[i] - 1, whole);
      } else if (counts[i] == 1) {
        claim.of(i, 1, whole);
      }
    }
  }

  private void inParts(Claim claim) {
    claim.of(0, 1, () -> {});
    long left = total - 1;
    for (int parts = PARTS; parts > 0 && left > 0; parts--) {
      long part = Math.ceilDiv(left, parts);
      claim.of(0, part, () -> {});
      left -= part;
    }
  }
}
