package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** What the fake has made and others know by an address. */
abstract class FakeObject {

  private static final long BYTES = 512;

  /** Never freed while the fake is used, so no address is that of two objects. */
  final long address;

  final FakeContext context;

  /** Objects that were made of it and are open. */
  int uses;

  private final FakeObject[] of;

  /**
   * Makes one.
   *
   * @param context null for a context itself
   * @param of what it uses until it is destroyed
   */
  FakeObject(Arena arena, @Nullable FakeContext context, FakeObject... of) {
    address = arena.allocate(BYTES, Long.BYTES).address();
    this.context = context == null ? (FakeContext) this : context;
    this.of = of;
    for (FakeObject each : of) {
      each.uses++;
    }
    Raw.putLong(address, this.context.address);
  }

  /** It is destroyed. */
  void end() {
    for (FakeObject each : of) {
      each.uses--;
    }
  }

  @Override
  public String toString() {
    return getClass().getSimpleName();
  }

  /** A protection domain. */
  static final class Pd extends FakeObject {
    Pd(Arena arena, FakeContext context) {
      super(arena, context, context);
    }
  }

  /** A completion channel. */
  static final class Channel extends FakeObject {
    final FakeEvents events = new FakeEvents();

    Channel(Arena arena, FakeContext context) {
      super(arena, context, context);
      Raw.putInt(IbLayout.CHANNEL_FD.in(address), events.descriptor());
    }

    @Override
    void end() {
      super.end();
      events.close();
    }
  }

  /** Registered memory. */
  static final class Mr extends FakeObject {
    final Pd pd;
    final long begin;
    final long length;
    final long named;
    final int allowed;
    final int lkey;
    final int rkey;

    /**
     * At one of its own.
     *
     * @param named where it begins for requests
     */
    Mr(Arena arena, Pd pd, long begin, long length, long named, int allowed, int key) {
      super(arena, pd.context, pd);
      this.pd = pd;
      this.begin = begin;
      this.length = length;
      this.named = named;
      this.allowed = allowed;
      lkey = key;
      rkey = key + 1;
      Raw.putInt(IbLayout.MR_LKEY.in(address), lkey);
      Raw.putInt(IbLayout.MR_RKEY.in(address), rkey);
    }

    boolean has(long from, long bytes) {
      return from >= named && bytes <= length && from - named <= length - bytes;
    }

    /** Where something of it lies. */
    long address(long from) {
      return begin + from - named;
    }
  }

  /** A shared receive queue. */
  static final class Srq extends FakeObject {
    final int most;
    final ArrayDeque<Long> receives = new ArrayDeque<>();

    Srq(Arena arena, Pd pd, int most) {
      super(arena, pd.context, pd);
      this.most = most;
    }
  }
}
