package io.reactivetransfer.tck;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.Signal;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import java.util.List;
import java.util.stream.IntStream;

/**
 * An engine that writes, one that is written to, and memory of each.
 *
 * @param origin who writes
 * @param target who is written to
 * @param from memory of the origin
 * @param to memory of the target
 * @param view what the origin knows of it
 */
record Duo(TransferEngine origin, TransferEngine target, Plot from, Plot to, RemoteRegion view) {

  /** Bytes of the target's memory. */
  static final long SIZE = 1 << 17;

  /** The length of {@link #writes}. */
  static final long WRITE_BYTES = 32;

  /** By how much a write's source lies behind its target, so that offsets cannot be confused. */
  private static final long SHIFT = 24;

  /** Both with so many NICs. */
  static Duo open(Stage stage, int nics) {
    return of(stage, stage.open(nics), stage.open(nics));
  }

  /** The origin's NICs behind a valve. */
  static Duo open(Stage stage, int nics, Valve valve) {
    return open(stage, nics, valve, options -> options);
  }

  /** The origin's NICs behind a valve, and the origin with some options of its own. */
  static Duo open(Stage stage, int nics, Valve valve, Stage.Tuning tuning) {
    return of(stage, stage.open(nics, valve, tuning), stage.open(nics));
  }

  static Duo of(Stage stage, TransferEngine origin, TransferEngine target) {
    Plot to = stage.plot(target, SIZE);
    return new Duo(origin, target, stage.plot(origin, SIZE + SHIFT), to, stage.seenBy(origin, to));
  }

  /** The target as the origin's peer. */
  Peer peer() {
    return origin.peer(target.address());
  }

  MemorySlice source(long offset, long length) {
    return from.slice(offset + SHIFT, length);
  }

  RemoteSlice sink(long offset, long length) {
    return view.slice(offset, length);
  }

  /** Writes that many bytes to this offset, and tells nobody. */
  Write write(long offset, long length) {
    return Write.of(source(offset, length), sink(offset, length));
  }

  /** Writes that many bytes to this offset. */
  WriteImm write(long offset, long length, Imm imm) {
    return WriteImm.of(source(offset, length), sink(offset, length), imm);
  }

  /** So many small writes side by side. */
  List<Write> writes(int count) {
    return IntStream.range(0, count).mapToObj(i -> write(i * 64L, WRITE_BYTES)).toList();
  }

  /** So many small writes side by side. */
  List<WriteImm> writes(int count, Imm imm) {
    return IntStream.range(0, count).mapToObj(i -> write(i * 64L, WRITE_BYTES, imm)).toList();
  }

  /** Signals the target. */
  Signal signal(Imm imm) {
    return Signal.of(peer(), imm);
  }

  /** Notes that the target's memory should have what was written to this offset. */
  void expect(long offset, long length) {
    to.expectCopy(offset, from, offset + SHIFT, length);
  }

  /** Notes that the target's memory should have what {@link #writes} wrote. */
  void expectWrites(int count) {
    IntStream.range(0, count).forEach(i -> expect(i * 64L, WRITE_BYTES));
  }
}
