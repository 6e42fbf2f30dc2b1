package io.reactivetransfer.cuda.fake;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/** The functions of {@code fakecuda.h}. */
@SuppressWarnings("restricted")
final class Controls {

  private final SymbolLookup library;
  private final MethodHandle set;
  private final MethodHandle attribute;
  private final MethodHandle fault;
  private final MethodHandle failCall;
  private final MethodHandle calls;
  private final MethodHandle callCount;
  private final MethodHandle callName;
  private final MethodHandle live;
  private final MethodHandle dma;
  private final MethodHandle bytes;
  private final MethodHandle reset;

  Controls(Path path) {
    library = SymbolLookup.libraryLookup(path, Arena.global());
    set = function("set", JAVA_INT, ADDRESS, JAVA_LONG);
    attribute = function("attribute", JAVA_INT, JAVA_INT, JAVA_INT);
    fault = procedure("fault", ADDRESS, JAVA_LONG, JAVA_INT);
    failCall = procedure("fail_call", JAVA_LONG, JAVA_INT);
    calls = function("calls", JAVA_LONG, ADDRESS);
    callCount = function("call_count", JAVA_LONG);
    callName = function("call_name", ADDRESS, JAVA_LONG);
    live = function("live", JAVA_LONG, JAVA_INT);
    dma = function("dma", JAVA_INT, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_INT);
    bytes = function("bytes", JAVA_LONG, JAVA_LONG);
    reset = procedure("reset");
  }

  private MethodHandle function(String name, MemoryLayout result, MemoryLayout... parameters) {
    return handle(name, FunctionDescriptor.of(result, parameters));
  }

  private MethodHandle procedure(String name, MemoryLayout... parameters) {
    return handle(name, FunctionDescriptor.ofVoid(parameters));
  }

  private MethodHandle handle(String name, FunctionDescriptor descriptor) {
    return Linker.nativeLinker()
        .downcallHandle(library.findOrThrow("fakecuda_" + name), descriptor);
  }

  private interface Call<T> {
    T call(Arena arena) throws Throwable;
  }

  private static <T> T call(Call<T> call) {
    try (Arena arena = Arena.ofConfined()) {
      return call.call(arena);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  int set(String knob, long value) {
    return call(arena -> (int) set.invokeExact(arena.allocateFrom(knob), value));
  }

  int attribute(int name, int value) {
    return call(_ -> (int) attribute.invokeExact(name, value));
  }

  void fault(String name, long n, int result) {
    call(arena -> {
      fault.invokeExact(arena.allocateFrom(name), n, result);
      return true;
    });
  }

  void failCall(long n, int result) {
    call(_ -> {
      failCall.invokeExact(n, result);
      return true;
    });
  }

  long calls(String name) {
    return call(arena -> (long) calls.invokeExact(arena.allocateFrom(name)));
  }

  long callCount() {
    return call(_ -> (long) callCount.invokeExact());
  }

  String callName(long index) {
    MemorySegment name = call(_ -> (MemorySegment) callName.invokeExact(index));
    return name.address() == 0 ? "not kept" : name.reinterpret(Long.MAX_VALUE).getString(0);
  }

  long live(int kind) {
    return call(_ -> (long) live.invokeExact(kind));
  }

  int dma(long device, MemorySegment host, boolean isWrite) {
    int write = isWrite ? 1 : 0;
    return call(_ -> (int) dma.invokeExact(device, host, host.byteSize(), write));
  }

  long bytes(long device) {
    return call(_ -> (long) bytes.invokeExact(device));
  }

  void reset() {
    call(_ -> {
      reset.invokeExact();
      return true;
    });
  }
}
