package io.reactivetransfer.simulation.network;

import io.reactivetransfer.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** A write that a NIC has taken over and has not reported. */
final class SimulatedWrite {

  final LinkEnd end;
  final SimulatedMemory source;
  final long serial;
  final long sourceOffset;
  final long targetOffset;
  final long length;
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
    this.token = op.token();
    this.imm = op.imm();
    this.hasImm = op.hasImm();
  }

  /** Takes the bytes out of the source, which is free then. */
  void capture(WireObserver observer) {
    observer.reading(source.segment(), sourceOffset, length);
    captured = source.segment().asSlice(sourceOffset, length).toArray(ValueLayout.JAVA_BYTE);
  }

  boolean readsSource() {
    return captured == null;
  }

  /** Copies some of its bytes. */
  void copy(MemorySegment target, long begin, long end, WireObserver observer) {
    byte[] bytes = captured;
    observer.writing(target, targetOffset + begin, end - begin);
    if (bytes == null) {
      observer.reading(source.segment(), sourceOffset + begin, end - begin);
      MemorySegment.copy(
          source.segment(), sourceOffset + begin, target, targetOffset + begin, end - begin);
    } else {
      MemorySegment.copy(
          bytes,
          (int) begin,
          target,
          ValueLayout.JAVA_BYTE,
          targetOffset + begin,
          (int) (end - begin));
    }
  }
}
