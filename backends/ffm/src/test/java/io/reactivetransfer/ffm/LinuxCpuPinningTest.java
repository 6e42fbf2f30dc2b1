package io.reactivetransfer.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.reactivetransfer.ffm.ffi.LinuxLibc;
import io.reactivetransfer.ffm.ffi.LinuxLibcByLinker;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CpuPinning;
import java.util.BitSet;
import java.util.NoSuchElementException;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class LinuxCpuPinningTest {

  /** Prints the availability; run in a JVM of its own by {@link NativeAccessTest}. */
  public static final class Asker {
    private Asker() {}

    /** Asks. */
    public static void main(String[] arguments) {
      LinuxCpuPinning pinning = new LinuxCpuPinning();
      System.out.println(pinning.availability());
      try {
        pinning.pinCurrentThread(0);
      } catch (BackendException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  @Test
  void isFoundAsAService() {
    assertThat(ServiceLoader.load(CpuPinning.class).findFirst())
        .get()
        .isInstanceOf(LinuxCpuPinning.class);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void tiesTheCallingThreadAndNoOther() {
    LinuxCpuPinning pinning = new LinuxCpuPinning();
    LinuxLibc libc = new LinuxLibcByLinker();
    assertThat(pinning.availability()).isEqualTo(Availability.available());
    BitSet before = affinity(libc);

    for (int cpu = before.nextSetBit(0); cpu >= 0; cpu = before.nextSetBit(cpu + 1)) {
      BitSet only = new BitSet();
      only.set(cpu);
      int chosen = cpu;
      onThreadOfItsOwn(() -> {
        pinning.pinCurrentThread(chosen);
        assertThat(affinity(libc)).isEqualTo(only);
        assertThat(libc.sched_getcpu()).isEqualTo(chosen);
      });
    }
    assertThat(affinity(libc)).isEqualTo(before);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void tiesAThreadAgain() {
    LinuxLibc libc = new LinuxLibcByLinker();
    BitSet all = affinity(libc);
    LinuxCpuPinning pinning = new LinuxCpuPinning();
    onThreadOfItsOwn(() -> {
      pinning.pinCurrentThread(all.nextSetBit(0));
      pinning.pinCurrentThread(all.length() - 1);
      assertThat(libc.sched_getcpu()).isEqualTo(all.length() - 1);
    });
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void namesTheCpusThatMayBeUsed() {
    LinuxCpuPinning pinning = new LinuxCpuPinning();
    String allowed = CpuList.of(affinity(new LinuxLibcByLinker()));
    for (int cpu : new int[] {-1, 8191, 8192, Integer.MAX_VALUE}) {
      assertThatThrownBy(() -> pinning.pinCurrentThread(cpu))
          .asInstanceOf(type(BackendException.class))
          .satisfies(e -> assertThat(e.code()).isEqualTo(LinuxLibc.EINVAL))
          .extracting(Throwable::getMessage)
          .asString()
          .startsWith("cannot pin to CPU " + cpu + ": this process may use " + allowed + ";");
    }
  }

  @Test
  void saysWhichCallFailed() {
    LinuxCpuPinning noGet = new LinuxCpuPinning("Linux", () -> new ScriptedLibc(-38, 0));
    assertThatThrownBy(() -> noGet.pinCurrentThread(0))
        .isInstanceOf(BackendException.class)
        .hasMessage("sched_getaffinity failed with ENOSYS (38)");
    LinuxCpuPinning noSet = new LinuxCpuPinning("Linux", () -> new ScriptedLibc(0, -1));
    assertThatThrownBy(() -> noSet.pinCurrentThread(0))
        .asInstanceOf(type(BackendException.class))
        .satisfies(e -> assertThat(e.code()).isEqualTo(1))
        .extracting(Throwable::getMessage)
        .isEqualTo("cannot pin to CPU 0: sched_setaffinity failed with EPERM (1)");
  }

  @Test
  void isUnavailableElsewhereWithoutLinking() {
    LinuxCpuPinning pinning =
        new LinuxCpuPinning(
            "Mac OS X",
            () -> {
              throw new AssertionError("linked");
            });
    assertUnavailable(pinning, "this is Mac OS X");
    assertThatThrownBy(() -> pinning.pinCurrentThread(0))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("cannot pin to CPU 0")
        .hasMessageContaining("leave the option cpu unset");
  }

  @Test
  void isUnavailableIfTheCallIsMissing() {
    assertUnavailable(
        new LinuxCpuPinning("Linux", throwing(new NoSuchElementException("no symbol"))),
        "no symbol");
    assertUnavailable(
        new LinuxCpuPinning("Linux", throwing(new UnsupportedOperationException("no linker"))),
        "no linker");
  }

  @Test
  void writesListsOfCpus() {
    assertThat(CpuList.of(new BitSet())).isEqualTo("no CPU");
    BitSet cpus = new BitSet();
    cpus.set(0, 4);
    cpus.set(8);
    assertThat(CpuList.of(cpus)).isEqualTo("0-3,8");
  }

  private static void assertUnavailable(LinuxCpuPinning pinning, String reason) {
    assertThat(pinning.availability())
        .asInstanceOf(type(Availability.Unavailable.class))
        .extracting(Availability.Unavailable::reason)
        .asString()
        .contains(reason);
  }

  private static Supplier<LinuxLibc> throwing(RuntimeException error) {
    return () -> {
      throw error;
    };
  }

  private static BitSet affinity(LinuxLibc libc) {
    BitSet cpus = new BitSet();
    assertThat(libc.sched_getaffinity(LinuxLibc.CALLING_THREAD, cpus)).isZero();
    return cpus;
  }

  private static void onThreadOfItsOwn(Runnable task) {
    try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
      assertThatCode(() -> CompletableFuture.runAsync(task, thread).join())
          .doesNotThrowAnyException();
    }
  }

  /** Answers as it is told; all CPUs are allowed. */
  private record ScriptedLibc(int got, int set) implements LinuxLibc {
    @Override
    public int sched_setaffinity(int pid, BitSet mask) {
      return set;
    }

    @Override
    public int sched_getaffinity(int pid, BitSet mask) {
      mask.set(0, 4);
      return got;
    }

    @Override
    public int sched_getcpu() {
      return 0;
    }
  }
}
