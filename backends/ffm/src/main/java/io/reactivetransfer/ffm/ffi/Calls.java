package io.reactivetransfer.ffm.ffi;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** Linking to the C library that the JVM itself runs with, and catching errno at the call. */
final class Calls {

  /** Where a call that {@link #link} made puts errno; its first argument. */
  static final StructLayout CAPTURED = Linker.Option.captureStateLayout();

  private static final VarHandle ERRNO =
      CAPTURED.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private Calls() {}

  /**
   * A call that catches errno.
   *
   * @throws IllegalCallerException if the JVM was started so that native access is denied
   * @throws java.util.NoSuchElementException if the C library has no such call
   */
  static MethodHandle link(String name, FunctionDescriptor descriptor) {
    return link(name, descriptor, Linker.Option.captureCallState("errno"));
  }

  /** A call that sets no errno, or whose errno does not matter. Throws what {@link #link} does. */
  static MethodHandle linkPlain(String name, FunctionDescriptor descriptor) {
    return link(name, descriptor, new Linker.Option[0]);
  }

  @SuppressWarnings("restricted") // the point of this package
  private static MethodHandle link(
      String name, FunctionDescriptor descriptor, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor, options);
  }

  static int orErrno(int result, MemorySegment captured) {
    return result >= 0 ? result : -(int) ERRNO.get(captured, 0L);
  }

  /** The text at an address that C gave, which may be null. */
  @SuppressWarnings("restricted") // C says that a 0 ends it
  static @Nullable String string(MemorySegment pointer) {
    return pointer.address() == 0 ? null : pointer.reinterpret(Long.MAX_VALUE).getString(0, UTF_8);
  }

  /** What a handle declares to throw and a C function never does. */
  static RuntimeException unexpected(Throwable e) {
    return switch (e) {
      case RuntimeException runtime -> runtime;
      case Error error -> throw error;
      default -> new IllegalStateException(e);
    };
  }
}
