package io.reactivetransfer.tck;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Backends with one defect in how they compute with lengths and offsets, or check them. */
final class SizeSaboteurs {

  static final List<Saboteur> ALL =
      List.of(
          Saboteur.nic("24.1", "truncates at 4 MiB", Truncates::new),
          Saboteur.backend(
              "24.1",
              "has lengths of 31 bits",
              inner -> new ForwardingBackend(longWrites(), LengthsOf31Bits::new)),
          Saboteur.nic("24.11", "counts what it carries in 31 bits", CarriesIn31Bits::new),
          Saboteur.nic("24.2", "has target offsets of 32 bits", TargetOffsetsOf32Bits::new),
          Saboteur.nic("24.2", "has source offsets of 31 bits", SourceOffsetsOf31Bits::new),
          Saboteur.nic("24.3", "is one off at the end", OneOff::new),
          Saboteur.nic("24.3", "adds with overflow", Overflows::new),
          Saboteur.nic("24.3", "checks 32 bits of the offset", Checks32Bits::new),
          Saboteur.nic("24.4", "lets a source be written", OpensSources::new));

  /** No defect, and writes of more than 2 GiB. */
  static final Saboteur NONE_WITH_LONG_WRITES =
      Saboteur.backend("none", "no defect", inner -> longWrites());

  private static final long WRAP = 1L << 32;

  private SizeSaboteurs() {}

  private static Backend longWrites() {
    return LoopbackBackend.builder().maxWriteBytes(1L << 40).build();
  }

  /** The same elsewhere, but for rows of a list: nothing of them is so far away, or so long. */
  private static Operation copy(Operation op, long sourceOffset, long targetOffset, long length) {
    if (op.isGathered()) {
      return op.copy();
    }
    Operation copy = op.copy().range(sourceOffset, targetOffset, length);
    return length == op.length()
        ? copy.inRows(op.rows(), op.localStride(), op.remoteStride())
        : copy;
  }

  private static final class Truncates extends ForwardingDomain {
    Truncates(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public PostResult post(Operation op) {
      long length = Math.min(4 << 20, op.length());
      return inner.post(copy(op, op.localOffset(), op.remoteOffset(), length));
    }
  }

  private static final class LengthsOf31Bits extends ForwardingDomain {
    LengthsOf31Bits(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public PostResult post(Operation op) {
      long length = op.length() & Integer.MAX_VALUE;
      return inner.post(copy(op, op.localOffset(), op.remoteOffset(), length));
    }
  }

  private static final class CarriesIn31Bits extends ForwardingDomain {
    private long carried;

    CarriesIn31Bits(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public PostResult post(Operation op) {
      boolean overflows = carried > Integer.MAX_VALUE;
      Operation shorter = copy(op, op.localOffset(), op.remoteOffset(), op.length() - 8);
      PostResult taken = inner.post(overflows ? shorter : op);
      carried += taken.isTaken() ? op.length() : 0;
      return taken;
    }
  }

  private static final class TargetOffsetsOf32Bits extends Lenient {
    TargetOffsetsOf32Bits(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public PostResult post(Operation op) {
      long offset = op.remoteOffset();
      boolean wraps = offset >= WRAP && targetLength(op) > WRAP; // the rest is another rule's
      return super.post(
          SizeSaboteurs.copy(op, op.localOffset(), wraps ? offset - WRAP : offset, op.length()));
    }
  }

  private static final class SourceOffsetsOf31Bits extends ForwardingDomain {
    SourceOffsetsOf31Bits(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public PostResult post(Operation op) {
      return inner.post(
          copy(op, op.localOffset() & Integer.MAX_VALUE, op.remoteOffset(), op.length()));
    }
  }

  /** Does itself what its NIC would refuse. */
  private static class Lenient extends MemorySaboteurs.KnowingDomain {
    Lenient(Domain inner, OpenContext context) {
      super(inner, context);
    }

    /** Writes one byte where it likes. */
    @SuppressWarnings("restricted") // the point of it: nothing checks this access
    final PostResult writeByte(Operation op, long targetOffset) {
      if (remote.get(op.remote()) instanceof HostMemory host) {
        MemorySegment wide =
            MemorySegment.ofAddress(host.segment().address()).reinterpret(targetOffset + 1);
        MemorySegment.copy(source(op), op.localOffset(), wide, targetOffset, 1);
      }
      reportSoon(op.token());
      return PostResult.TAKEN;
    }
  }

  private static final class OneOff extends Lenient {
    OneOff(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public PostResult post(Operation op) {
      long total = targetLength(op);
      boolean over = op.remoteOffset() + op.length() == total + 1 && op.remoteOffset() == total;
      return over ? writeByte(op, total) : super.post(op);
    }
  }

  private static final class Overflows extends Lenient {
    Overflows(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public PostResult post(Operation op) {
      long end = op.remoteOffset() + op.length();
      if (op.remoteOffset() > 0 && end < 0) {
        reportSoon(op.token()); // and would touch who knows what
        return PostResult.TAKEN;
      }
      return super.post(op);
    }
  }

  private static final class Checks32Bits extends Lenient {
    Checks32Bits(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public PostResult post(Operation op) {
      boolean wraps = op.remoteOffset() >= WRAP && op.remoteOffset() < WRAP + targetLength(op);
      return wraps && targetLength(op) < WRAP
          ? writeByte(op, op.remoteOffset() - WRAP)
          : super.post(op);
    }
  }

  private static final class OpensSources extends ForwardingDomain {
    OpensSources(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public CompletionStage<LocalMemory> register(Memory memory, Access access) {
      return CompletableFuture.completedStage(now(inner.register(memory, Access.REMOTE_WRITE)));
    }
  }
}
