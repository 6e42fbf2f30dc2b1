package io.reactivetransfer.engine.target;

import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.TransferRejectedException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Gives out immediates, in blocks, each as long as possible after it was given back: a cursor goes
 * round the whole range. From any thread.
 */
public final class ImmLeases {

  /** Closing looks at each, on the NIC thread's thread. */
  static final int MAX_BLOCK = 1 << 16;

  private final Claims claims;

  /**
   * First value and length of what is leased. Who looks for room holds the lock of this; the NIC
   * thread reads and gives back without it, for a search goes over all that are open.
   */
  private final ConcurrentSkipListMap<Integer, Integer> blocks = new ConcurrentSkipListMap<>();

  /** Guarded by this. */
  private int cursor = Imm.FIRST_LEASED;

  /** What lies below was leased at some time; written behind the blocks. */
  private volatile int known = Imm.FIRST_LEASED;

  public ImmLeases(Claims claims) {
    this.claims = claims;
    claims.imms().leasesEnd(this::isOver);
  }

  /** Whether it was leased, and is not any more. */
  private boolean isOver(int imm) {
    if (imm < Imm.FIRST_LEASED || imm >= known) {
      return false;
    }
    Map.Entry<Integer, Integer> block = blocks.floorEntry(imm);
    return block == null || imm - block.getKey() >= block.getValue();
  }

  /**
   * Leases a block.
   *
   * @throws TransferRejectedException if there is no room for it
   */
  public ImmLease lease(int size) {
    if (size < 1 || size > MAX_BLOCK) {
      throw new IllegalArgumentException(
          "expected a lease of 1 to " + MAX_BLOCK + " immediates, got " + size);
    }
    return new Block(take(size), size);
  }

  private synchronized int take(int size) {
    int at = cursor;
    for (int rounds = 0; rounds < 2; at = Imm.FIRST_LEASED, rounds++) {
      Map.Entry<Integer, Integer> block = blocks.floorEntry(at);
      while (true) {
        at = block == null ? at : Math.max(at, block.getKey() + block.getValue());
        block = blocks.ceilingEntry(at);
        int end = block == null ? Imm.MAX_VALUE + 1 : block.getKey();
        if (end - at >= size) {
          blocks.put(at, size);
          known = Math.max(known, at + size);
          cursor = at + size > Imm.MAX_VALUE ? Imm.FIRST_LEASED : at + size;
          return at;
        }
        if (block == null) {
          break;
        }
      }
    }
    throw new TransferRejectedException(
        "expected room for a lease of "
            + size
            + " immediates beside "
            + blocks.size()
            + " that are open, got none; close some of them");
  }

  private void giveBack(int first) {
    blocks.remove(first);
  }

  /** How many are open. */
  public int open() {
    return blocks.size();
  }

  private final class Block implements ImmLease {
    private final int first;
    private final int size;
    private final AtomicBoolean closed = new AtomicBoolean();

    Block(int first, int size) {
      this.first = first;
      this.size = size;
    }

    @Override
    public int size() {
      return size;
    }

    @Override
    public Imm imm(int index) {
      return Imm.of(first + Objects.checkIndex(index, size));
    }

    @Override
    public ImmCounter counter(int index) {
      return claims.counter(imm(index), closed::get);
    }

    @Override
    public void close() {
      if (closed.compareAndSet(false, true)) {
        claims.commands().execute(() -> claims.imms().behindArrivals(this::end));
      }
    }

    private void end() {
      try {
        for (int imm = first; imm < first + size; imm++) {
          claims.imms().leaseClosed(imm);
        }
      } finally {
        giveBack(first);
      }
    }

    @Override
    public String toString() {
      return "lease of immediates " + first + " to " + (first + size - 1);
    }
  }
}
