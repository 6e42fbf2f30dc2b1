package io.reactivetransfer.simulation.network;

import io.reactivetransfer.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A write that a NIC has taken over and has not reported. */
final class SimulatedWrite {

  final LinkEnd end;
  final SimulatedMemory source;
  final long serial;
  final long sourceOffset;
  final long targetOffset;
  final long length;

  /** How much of the source it takes, with the gaps between its rows. */
  final long sourceExtent;

  private final long rowLength;

  /** Where each of its rows begins within the source. */
  private final long[] rows;

  private final long targetStride;
  final long token;
  final int imm;
  final boolean hasImm;

  /** Nothing of it moves any more. */
  boolean dead;

  /** The bytes, once they have left the source. */
  private byte @Nullable [] captured;

  SimulatedWrite(LinkEnd end, Operation op, SimulatedMemory source, long serial) {
    this.end = end;
    this.source = source;
    this.serial = serial;
    this.sourceOffset = op.localOffset();
    this.targetOffset = op.remoteOffset();
    this.length = op.length();
    this.sourceExtent = op.localExtent();
    this.rowLength = op.rowLength();
    this.rows = IntStream.range(0, op.rows()).mapToLong(op::localOffset).toArray();
    this.targetStride = op.remoteStride();
    this.token = op.token();
    this.imm = op.imm();
    this.hasImm = op.hasImm();
  }

  /** Takes the bytes out of the source, which is free then. */
  void capture(WireObserver observer) {
    byte[] bytes = new byte[(int) length];
    forEachRow(
        0,
        length,
        (at, from, _, count) -> {
          observer.reading(source.segment(), from, count);
          MemorySegment.copy(
              source.segment(), ValueLayout.JAVA_BYTE, from, bytes, (int) at, (int) count);
        });
    captured = bytes;
  }

  boolean readsSource() {
    return captured == null;
  }

  /** Copies some of its bytes. */
  void copy(MemorySegment target, long begin, long end, WireObserver observer) {
    byte[] bytes = captured;
    forEachRow(
        begin,
        end,
        (at, from, to, count) -> {
          observer.writing(target, to, count);
          if (bytes == null) {
            observer.reading(source.segment(), from, count);
            MemorySegment.copy(source.segment(), from, target, to, count);
          } else {
            MemorySegment.copy(bytes, (int) at, target, ValueLayout.JAVA_BYTE, to, (int) count);
          }
        });
  }

  /** Bytes of one row: which of the write they are, and where they lie. */
  private interface RowVisitor {
    void row(long at, long from, long to, long count);
  }

  private void forEachRow(long begin, long end, RowVisitor visitor) {
    for (long at = begin, count; at < end; at += count) {
      int row = (int) (at / rowLength);
      long within = at - row * rowLength;
      count = Math.min(rowLength - within, end - at);
      visitor.row(at, rows[row] + within, targetOffset + row * targetStride + within, count);
    }
  }
}
