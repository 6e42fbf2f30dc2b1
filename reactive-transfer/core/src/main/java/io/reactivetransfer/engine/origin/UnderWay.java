package io.reactivetransfer.engine.origin;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.GatherList;
import io.reactivetransfer.PagedWrite;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Notes of a write that can be changed whether a stream has it, so that nobody sends it elsewhere
 * meanwhile: whoever waits there would not hear that it has failed. Nothing is done for others.
 */
final class UnderWay {

  /** Not a method of the write: that would be one for everybody. */
  private static final VarHandle IS_UNDER_WAY;

  static {
    try {
      IS_UNDER_WAY =
          MethodHandles.privateLookupIn(AimedWrite.class, MethodHandles.lookup())
              .findVarHandle(AimedWrite.class, "isUnderWay", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private UnderWay() {}

  /** A stream gets it; false if one has it already. */
  static boolean begin(AimedWrite write) {
    return IS_UNDER_WAY.compareAndSet(write, false, true);
  }

  /** One that is aimed at the same, and that nobody else has. */
  static AimedWrite copy(AimedWrite write) {
    AimedWrite copy = AimedWrite.between(write.source(), write.target(), write.imm());
    GatherList list = write.list();
    if (list != null) {
      return copy.aim(list.copy(), write.sourceOffset(), write.targetOffset());
    }
    PagedWrite.Rows rows = write.rows();
    return rows == null
        ? copy.aim(write.sourceOffset(), write.targetOffset(), write.length())
        : copy.aim(rows, write.sourceOffset(), write.targetOffset());
  }

  /** It leaves its stream, which looks at it no more. */
  static void end(@Nullable Object element) {
    if (element instanceof AimedWrite) {
      IS_UNDER_WAY.setRelease(element, false);
    }
  }
}
