package io.reactivetransfer.ffm.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.BitSet;

/** The calls, linked to the C library that the JVM itself runs with. */
public final class LinuxLibcByLinker implements LinuxLibc {

  private static final int SET_BYTES = MAX_CPUS / Byte.SIZE;

  private final MethodHandle schedSetaffinity;
  private final MethodHandle schedGetaffinity;
  private final MethodHandle schedGetcpu;

  /**
   * Looks the calls up.
   *
   * @throws IllegalCallerException if the JVM was started so that native access is denied
   * @throws java.util.NoSuchElementException if the C library has no such call
   */
  public LinuxLibcByLinker() {
    // int sched_setaffinity(pid_t pid, size_t cpusetsize, const cpu_set_t *mask); the other alike
    FunctionDescriptor affinity = FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS);
    schedSetaffinity = Calls.link("sched_setaffinity", affinity);
    schedGetaffinity = Calls.link("sched_getaffinity", affinity);
    schedGetcpu = Calls.link("sched_getcpu", FunctionDescriptor.of(JAVA_INT));
  }

  @Override
  public int sched_setaffinity(int pid, BitSet mask) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment set = arena.allocate(SET_BYTES, Long.BYTES);
      MemorySegment.copy(MemorySegment.ofArray(mask.toByteArray()), 0, set, 0, used(mask));
      MemorySegment captured = arena.allocate(Calls.CAPTURED);
      int result = (int) schedSetaffinity.invokeExact(captured, pid, (long) SET_BYTES, set);
      return Calls.orErrno(result, captured);
    } catch (Throwable e) {
      throw Calls.unexpected(e);
    }
  }

  @Override
  public int sched_getaffinity(int pid, BitSet mask) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment set = arena.allocate(SET_BYTES, Long.BYTES);
      MemorySegment captured = arena.allocate(Calls.CAPTURED);
      int result = (int) schedGetaffinity.invokeExact(captured, pid, (long) SET_BYTES, set);
      if (result >= 0) {
        mask.clear();
        mask.or(BitSet.valueOf(set.toArray(JAVA_BYTE)));
      }
      return Calls.orErrno(result, captured);
    } catch (Throwable e) {
      throw Calls.unexpected(e);
    }
  }

  @Override
  public int sched_getcpu() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment captured = arena.allocate(Calls.CAPTURED);
      int result = (int) schedGetcpu.invokeExact(captured);
      return Calls.orErrno(result, captured);
    } catch (Throwable e) {
      throw Calls.unexpected(e);
    }
  }

  private static long used(BitSet mask) {
    int bits = mask.length();
    if (bits > MAX_CPUS) {
      throw new IllegalArgumentException("expected CPUs below " + MAX_CPUS + ", got " + (bits - 1));
    }
    return (bits + Byte.SIZE - 1L) / Byte.SIZE;
  }
}
