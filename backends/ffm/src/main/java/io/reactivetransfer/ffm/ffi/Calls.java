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

/**
 * Linking: to the C library that the JVM itself runs with, by name, and to any address, by the
 * signature alone. And catching errno at the call.
 */
public final class Calls {

  /** Where a call that catches errno puts it. */
  public static final StructLayout CAPTURED = Linker.Option.captureStateLayout();

  private static final Linker.Option CATCHING = Linker.Option.captureCallState("errno");
  private static final int EIO = 5;
  private static final VarHandle ERRNO =
      CAPTURED.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private Calls() {}

  /**
   * A call that catches errno; {@link #CAPTURED} is its first argument.
   *
   * @throws IllegalCallerException if the JVM was started so that native access is denied
   * @throws java.util.NoSuchElementException if the C library has no such call
   */
  static MethodHandle link(String name, FunctionDescriptor descriptor) {
    return link(name, descriptor, CATCHING);
  }

  /** A call that sets no errno, or whose errno does not matter. Throws what {@link #link} does. */
  static MethodHandle linkPlain(String name, FunctionDescriptor descriptor) {
    return link(name, descriptor, new Linker.Option[0]);
  }

  /**
   * A call with arguments that are not declared, which catches errno. Throws what {@link #link}
   * does.
   *
   * @param declared how many arguments are
   */
  public static MethodHandle linkVariadic(
      String name, FunctionDescriptor descriptor, int declared) {
    return link(name, descriptor, CATCHING, Linker.Option.firstVariadicArg(declared));
  }

  @SuppressWarnings("restricted") // the point of this package
  private static MethodHandle link(
      String name, FunctionDescriptor descriptor, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor, options);
  }

  /** Calls whatever is at the address that is its first argument. */
  public static MethodHandle handle(MemoryLayout result, MemoryLayout... arguments) {
    return to(FunctionDescriptor.of(result, arguments));
  }

  /** The same, without a result. */
  public static MethodHandle voidHandle(MemoryLayout... arguments) {
    return to(FunctionDescriptor.ofVoid(arguments));
  }

  /** The same as {@link #handle}, and catches errno: {@link #CAPTURED} is its second argument. */
  public static MethodHandle catching(MemoryLayout result, MemoryLayout... arguments) {
    return to(FunctionDescriptor.of(result, arguments), CATCHING);
  }

  @SuppressWarnings("restricted")
  private static MethodHandle to(FunctionDescriptor descriptor, Linker.Option... options) {
    return Linker.nativeLinker().downcallHandle(descriptor, options);
  }

  /** What a call gave, or the negated errno if that is below 0. */
  public static int orErrno(int result, MemorySegment captured) {
    return result >= 0 ? result : negatedErrno(captured);
  }

  /** What a call gave, or the negated errno if that is a null pointer. */
  public static long pointerOrErrno(long pointer, MemorySegment captured) {
    return pointer != 0 ? pointer : negatedErrno(captured);
  }

  /** Never 0, which would be success: some calls fail without a reason. */
  private static int negatedErrno(MemorySegment captured) {
    int errno = (int) ERRNO.get(captured, 0L);
    return errno == 0 ? -EIO : -errno;
  }

  /** The text at an address that C gave, which may be null. */
  @SuppressWarnings("restricted") // C says that a 0 ends it
  static @Nullable String string(MemorySegment pointer) {
    return pointer.address() == 0 ? null : pointer.reinterpret(Long.MAX_VALUE).getString(0, UTF_8);
  }

  /** What a handle declares to throw and a C function never does. */
  public static RuntimeException unexpected(Throwable e) {
    return switch (e) {
      case RuntimeException runtime -> runtime;
      case Error error -> throw error;
      default -> new IllegalStateException(e);
    };
  }
}
