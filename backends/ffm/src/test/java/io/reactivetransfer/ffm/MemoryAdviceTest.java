package io.reactivetransfer.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivetransfer.ffm.ffi.Mman;
import io.reactivetransfer.spi.BackendException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class MemoryAdviceTest {

  private static final int EPERM = 1;
  private static final int ENOMEM = 12;
  private static final int EINVAL = 22;
  private static final long PAGE = 4096;

  /** Writes down what it is asked, and answers as it is told. */
  private static final class ScriptedMman implements Mman {
    final List<String> calls = new ArrayList<>();
    int result;
    long limit = 65_536;

    @Override
    public int getpagesize() {
      return (int) PAGE;
    }

    @Override
    public int madvise(long addr, long length, int advice) {
      calls.add(addr % PAGE + " + " + length + ": " + advice);
      return result;
    }

    @Override
    public int mlock(long addr, long len) {
      calls.add("lock " + len);
      return result;
    }

    @Override
    public int munlock(long addr, long len) {
      calls.add("unlock " + len);
      return result;
    }

    @Override
    public long getrlimit(int resource) {
      return limit;
    }
  }

  private final ScriptedMman mman = new ScriptedMman();

  @Test
  void theKernelTakesIt() throws IOException {
    // a mapping of its own: advice must not split one that others share
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(4 << 20, 2 << 20);
      if (Files.exists(Path.of("/sys/kernel/mm/transparent_hugepage/enabled"))) {
        MemoryAdvice.hugePages(memory);
        assertThat(flags(memory)).contains(" hg");
      }
      MemoryAdvice.dontFork(memory);
      assertThat(flags(memory)).contains(" dc");
      MemorySegment some = memory.asSlice(100, 5_000);
      MemoryAdvice.lock(some);
      assertThat(flags(some)).contains(" lo");
      MemoryAdvice.unlock(some);
      assertThat(flags(some)).doesNotContain(" lo");
    }
  }

  /** What the kernel says of the mapping that begins at or before this memory. */
  private static String flags(MemorySegment memory) throws IOException {
    boolean within = false;
    for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
      if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
        String[] ends = line.split(" ", 2)[0].split("-");
        within =
            Long.compareUnsigned(Long.parseUnsignedLong(ends[0], 16), memory.address()) <= 0
                && Long.compareUnsigned(memory.address(), Long.parseUnsignedLong(ends[1], 16)) < 0;
      } else if (within && line.startsWith("VmFlags:")) {
        return line;
      }
    }
    throw new AssertionError("expected a mapping with " + memory);
  }

  @Test
  void adviceIsForWholePages() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(3 * PAGE, PAGE);
      MemoryAdvice.hugePages(mman, memory.asSlice(100, 5_000));
      MemoryAdvice.hugePages(mman, memory.asSlice(PAGE, 1));
      MemoryAdvice.hugePages(mman, memory.asSlice(PAGE, 0));
    }
    assertThat(mman.calls).containsExactly("0 + 5100: 14", "0 + 1: 14");
  }

  @Test
  void emptyMemoryIsNotLocked() {
    MemoryAdvice.lock(mman, MemorySegment.NULL);
    assertThat(mman.calls).isEmpty();
  }

  @Test
  void aRefusedLockSaysTheLimit() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(8_192);
      mman.result = -ENOMEM;
      assertThatExceptionOfType(BackendException.class)
          .isThrownBy(() -> MemoryAdvice.lock(mman, memory))
          .withMessageStartingWith("mlock of 8192 bytes failed with ENOMEM (12)")
          .withMessageContaining("may lock 65536 bytes")
          .withMessageContaining("ulimit -l")
          .satisfies(e -> assertThat(e.code()).isEqualTo(ENOMEM));
      mman.result = -EPERM;
      mman.limit = Mman.RLIM_INFINITY;
      assertThatExceptionOfType(BackendException.class)
          .isThrownBy(() -> MemoryAdvice.lock(mman, memory))
          .withMessageContaining("EPERM (1)")
          .withMessageContaining("any number of bytes");
    }
  }

  @Test
  void aKernelWithoutHugePagesIsNamed() {
    mman.result = -EINVAL;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(8);
      assertThatExceptionOfType(BackendException.class)
          .isThrownBy(() -> MemoryAdvice.hugePages(mman, memory))
          .withMessageContaining("madvise MADV_HUGEPAGE of 8 bytes failed with EINVAL (22)")
          .withMessageContaining("no transparent huge pages");
    }
  }

  @Test
  void memoryOfTheHeapIsRefused() {
    MemorySegment heap = MemorySegment.ofArray(new byte[8]);
    assertThatIllegalArgumentException().isThrownBy(() -> MemoryAdvice.lock(heap));
    assertThatIllegalArgumentException().isThrownBy(() -> MemoryAdvice.unlock(heap));
    assertThatIllegalArgumentException().isThrownBy(() -> MemoryAdvice.dontFork(heap));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MemoryAdvice.hugePages(heap))
        .withMessageContaining("native memory");
  }
}
