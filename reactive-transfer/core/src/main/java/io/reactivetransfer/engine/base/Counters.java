package io.reactivetransfer.engine.base;

import io.reactivetransfer.TransferKind;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What an engine counts: written by the NIC thread alone, read by any. With one writer, an opaque
 * write is enough: no locked instruction and no fence on the data path.
 */
public final class Counters {

  static final int TRANSFERS_IN_FLIGHT = 0;
  public static final int WRITES_IN_FLIGHT = 1;
  public static final int OPEN_REGIONS = 2;
  public static final int PENDING_CLAIMS = 3;
  public static final int UNCLAIMED_IMMS = 4;
  public static final int DROPPED_IMMS = 5;
  public static final int REGISTERED_BYTES = 6;

  /** The first of as many as there are kinds of transfers. */
  private static final int BEGUN = 7;

  private static final VarHandle VALUES = MethodHandles.arrayElementVarHandle(long[].class);

  /** The first of as many again, for their bytes. */
  private static final int BYTES_BEGUN = BEGUN + TransferKind.values().length;

  private final long[] values = new long[BYTES_BEGUN + TransferKind.values().length];
  private final Owner owner;
  private long transfers;

  /** All are 0. */
  public Counters(Owner owner) {
    this.owner = owner;
  }

  /** So many transfers more are in flight. Others see it at the end of the turn. */
  public void transfers(int change) {
    assert owner.isCurrent();
    transfers += change;
  }

  /** Before others are told of what was done in this turn. */
  public void endTurn() {
    set(TRANSFERS_IN_FLIGHT, transfers);
  }

  /** So many transfers more of a kind were begun, which have so many bytes together. */
  public void begun(TransferKind kind, int count, long bytes) {
    int place = placeOf(kind);
    add(BEGUN + place, count);
    add(BYTES_BEGUN + place, bytes);
  }

  /** How many of a kind were begun. From any thread. */
  long begun(TransferKind kind) {
    return get(BEGUN + placeOf(kind));
  }

  /** How many bytes those have. From any thread. */
  long bytesBegun(TransferKind kind) {
    return get(BYTES_BEGUN + placeOf(kind));
  }

  private static int placeOf(TransferKind kind) {
    return switch (kind) {
      case WRITE -> 0;
      case WRITE_IMM -> 1;
      case AIMED_WRITE -> 2;
      case PAGED_WRITE -> 3;
      case SCATTER -> 4;
      case SIGNAL -> 5;
    };
  }

  public void add(int counter, long delta) {
    assert owner.isCurrent();
    VALUES.setOpaque(values, counter, values[counter] + delta);
  }

  public void set(int counter, long value) {
    assert owner.isCurrent();
    VALUES.setOpaque(values, counter, value);
  }

  /** From any thread. */
  public long get(int counter) {
    return (long) VALUES.getOpaque(values, counter);
  }
}
