package io.reactivetransfer.tools.soak;

import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/** Registered memory of one stream on one side, and what every page of it must hold. */
final class Pages {

  /** Short and long, even and odd, with and without a remainder when they are cut. */
  private static final int[] BYTES = {1_000, 4_096, 40_001, 262_160};

  private static final int[] COUNTS = {64, 32, 24, 8};

  private final TransferEngine engine;
  private final Await await;
  private final Where where;
  private final MemorySegment memory;
  private final long pageBytes;
  private final long[] stamps;
  private MemoryRegion region;

  Pages(TransferEngine engine, Arena arena, Await await, Where where) throws InterruptedException {
    this.engine = engine;
    this.await = await;
    this.where = where;
    this.pageBytes = BYTES[where.stream() % BYTES.length];
    this.stamps = new long[count(where)];
    this.memory = arena.allocate(pageBytes * stamps.length, Long.BYTES);
    for (int page = 0; page < stamps.length; page++) {
      fill(page, where.stamp(-1 - page));
    }
    this.region = register();
  }

  /** How many pages such a stream has. */
  static int count(Where where) {
    return COUNTS[where.stream() % COUNTS.length];
  }

  long pageBytes() {
    return pageBytes;
  }

  MemoryRegion region() {
    return region;
  }

  private MemoryRegion register() throws InterruptedException {
    return Objects.requireNonNull(await.value(engine.register(memory), "register", where));
  }

  /** Closes the region, and registers the same memory again. */
  void renew() throws InterruptedException {
    await.value(region.close(), "MemoryRegion.close", where);
    region = register();
  }

  void close() throws InterruptedException {
    await.value(region.close(), "MemoryRegion.close", where);
  }

  void fill(int page, long stamp) {
    Content.fill(at(page), stamp);
    stamps[page] = stamp;
  }

  /** From now on the page must hold what this stamp decides. */
  void expect(int page, long stamp) {
    stamps[page] = stamp;
  }

  /** All bytes as they are. */
  MemorySegment copy() {
    return MemorySegment.ofArray(new byte[(int) memory.byteSize()]).copyFrom(memory);
  }

  /** Nothing has changed since the copy was made. */
  void verifySame(MemorySegment copy, Round round) {
    long at = memory.mismatch(copy);
    if (at >= 0) {
      throw SoakFailure.at(
          where + ", " + round,
          "no byte to change after revoke() had completed",
          "another byte " + at % pageBytes + " of page " + at / pageBytes,
          null);
    }
  }

  /** Every page holds what it must. */
  void verifyAll(Round round) {
    for (int page = 0; page < stamps.length; page++) {
      verify(page, stamps[page], round, "after the round");
    }
  }

  /** This page holds what this stamp decides. */
  void verify(int page, long stamp, Round round, String when) {
    long at = Content.mismatch(at(page), stamp);
    if (at >= 0) {
      throw wrong(page, stamp, at, round, when);
    }
  }

  private SoakFailure wrong(int page, long stamp, long at, Round round, String when) {
    MemorySegment expected = MemorySegment.ofArray(new byte[(int) pageBytes]);
    Content.fill(expected, stamp);
    String author = Authors.of(at(page), at, where, round.number());
    return SoakFailure.at(
        where + ", " + round,
        "byte %d of page %d to be %s %s".formatted(at, page, hex(expected, at), when),
        hex(at(page), at) + (author == null ? "" : " (" + author + ")"),
        null);
  }

  private static String hex(MemorySegment memory, long at) {
    return "0x%02x".formatted(memory.get(ValueLayout.JAVA_BYTE, at));
  }

  private MemorySegment at(int page) {
    return memory.asSlice(page * pageBytes, pageBytes);
  }
}
