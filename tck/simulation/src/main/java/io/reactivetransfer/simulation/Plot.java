package io.reactivetransfer.simulation;

import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RegionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory, and what must be in it. Every byte is either certain, and then nothing may
 * change it, or open: a write to it is on its way, or failed or was cancelled and may have left
 * anything there.
 */
final class Plot {

  private static final byte FREED = (byte) 0xDD;
  private static final int TRIES = 4;

  final Node node;
  final boolean isSource;
  final MemorySegment memory;
  private final byte[] expected;
  private final boolean[] open;

  /** Which reservation of a byte was the last one. */
  private final int[] stamps;

  private int stamp;
  private final Referee referee;
  private @Nullable MemoryRegion region;
  private @Nullable RegionDescriptor descriptor;
  private int revision;
  private boolean freed;

  /** Whether one of its publishers that changes what it is worth is out. */
  boolean changing;

  Plot(Node node, boolean isSource, int length, SplittableRandom random) {
    this.node = node;
    this.isSource = isSource;
    this.referee = node.world().referee();
    this.memory = node.world().ground().take(this, length);
    this.expected = new byte[length];
    this.open = new boolean[length];
    this.stamps = new int[length];
    if (isSource) {
      random.nextBytes(expected);
    } else {
      Arrays.fill(expected, (byte) random.nextInt());
    }
    store();
  }

  private void store() {
    MemorySegment.copy(expected, 0, memory, ValueLayout.JAVA_BYTE, 0, expected.length);
  }

  // ---- its registration ----

  void registered(MemoryRegion region) {
    this.region = region;
    this.descriptor = isSource ? null : region.descriptor();
  }

  @Nullable MemoryRegion region() {
    return region;
  }

  @Nullable RegionDescriptor descriptor() {
    return descriptor;
  }

  int revision() {
    return revision;
  }

  boolean isFreed() {
    return freed;
  }

  int length() {
    return expected.length;
  }

  // ---- what is written to it ----

  /** A range of which all bytes are certain, and which is open from now on; below 0 if none is. */
  int reserve(int length, SplittableRandom random) {
    if (length > expected.length) {
      return -1;
    }
    for (int attempt = 0; attempt < TRIES; attempt++) {
      int offset = random.nextInt(expected.length - length + 1);
      if (isCertain(offset, length)) {
        Arrays.fill(open, offset, offset + length, true);
        Arrays.fill(stamps, offset, offset + length, ++stamp);
        return offset;
      }
    }
    return -1;
  }

  private boolean isCertain(int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      if (open[i]) {
        return false;
      }
    }
    return true;
  }

  /** Some of it is written from now on, though it was reserved before. */
  void used() {
    stamp++;
  }

  /** Tells the last reservation, or use, from others. */
  int stamp() {
    return stamp;
  }

  /** Whether all of these bytes were reserved last with this stamp. */
  boolean isStamped(int offset, int length, int with) {
    for (int i = offset; i < offset + length; i++) {
      if (stamps[i] != with) {
        return false;
      }
    }
    return true;
  }

  byte[] copy(int offset, int length) {
    return Arrays.copyOfRange(expected, offset, offset + length);
  }

  /** These bytes must be there now, and for good. */
  void requireThere(int offset, byte[] bytes, String why) {
    requireVisible(offset, bytes, why);
    System.arraycopy(bytes, 0, expected, offset, bytes.length);
    Arrays.fill(open, offset, offset + bytes.length, false);
  }

  /** These bytes must be there now. */
  void requireVisible(int offset, byte[] bytes, String why) {
    MemorySegment there = memory.asSlice(offset, bytes.length);
    long wrong = there.mismatch(MemorySegment.ofArray(bytes));
    if (wrong >= 0) {
      referee.violated(
          why + ", and byte " + (offset + wrong) + " of " + this + " is not what was written");
    }
  }

  /** A source range is free again: other bytes come into it. */
  void scribble(int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      expected[i] = (byte) (expected[i] * 31 + 17);
      open[i] = false;
    }
    MemorySegment.copy(expected, offset, memory, ValueLayout.JAVA_BYTE, offset, length);
  }

  /** Nobody may write under the descriptors of before: what is there is certain. */
  void revoked() {
    if (freed) {
      return;
    }
    revision++;
    settle();
    MemoryRegion current = region;
    if (current != null && !current.isClosed()) {
      descriptor = current.descriptor();
    }
  }

  private void settle() {
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, 0, expected, 0, expected.length);
    Arrays.fill(open, false);
  }

  /** No NIC may touch it any more. */
  void free() {
    if (!freed) {
      freed = true;
      revision++;
      Arrays.fill(expected, FREED);
      Arrays.fill(open, false);
      store();
    }
  }

  // ---- what must be true ----

  /** Everything that is certain is there. */
  void verify() {
    MemorySegment model = MemorySegment.ofArray(expected);
    long at = 0;
    while (at < expected.length) {
      long wrong = MemorySegment.mismatch(memory, at, expected.length, model, at, expected.length);
      if (wrong < 0) {
        return;
      }
      at += wrong;
      if (!open[(int) at]) {
        referee.violated("byte " + at + " of " + this + " was changed and must not be");
        return;
      }
      at++;
    }
  }

  /** A NIC touches it. */
  void touched(String how) {
    if (freed) {
      referee.violated(this + " was " + how + " after it was freed");
    }
  }

  @Override
  public String toString() {
    return (isSource ? "a source" : "a target") + " of engine " + node.index();
  }
}
