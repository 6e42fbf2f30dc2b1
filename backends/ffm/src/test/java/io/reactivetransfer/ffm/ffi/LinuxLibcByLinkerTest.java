package io.reactivetransfer.ffm.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class LinuxLibcByLinkerTest {

  private static final int ESRCH = 3;

  private final LinuxLibc libc = new LinuxLibcByLinker();

  @Test
  void agreesWithTheKernelsOwnText() throws IOException {
    BitSet cpus = new BitSet();
    assertThat(libc.sched_getaffinity(LinuxLibc.CALLING_THREAD, cpus)).isZero();
    BitSet fromText = new BitSet();
    Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
        .filter(line -> line.startsWith("Cpus_allowed_list:"))
        .flatMap(line -> Arrays.stream(line.split("\\s+")[1].split(",")))
        .map(range -> range.split("-"))
        .forEach(ends ->
            fromText.set(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]) + 1));
    assertThat(cpus).isEqualTo(fromText);
    assertThat(cpus.get(libc.sched_getcpu())).isTrue();
  }

  @Test
  void givesErrnoAsANegativeResult() {
    BitSet none = new BitSet();
    assertThat(libc.sched_setaffinity(LinuxLibc.CALLING_THREAD, none)).isEqualTo(-LinuxLibc.EINVAL);
    BitSet kept = new BitSet();
    kept.set(5);
    assertThat(libc.sched_getaffinity(Integer.MAX_VALUE, kept)).isEqualTo(-ESRCH);
    assertThat(kept.nextSetBit(0)).isEqualTo(5);
  }

  @Test
  void refusesCpusThatNoSetCanHold() {
    BitSet beyond = new BitSet();
    beyond.set(LinuxLibc.MAX_CPUS);
    assertThatThrownBy(() -> libc.sched_setaffinity(LinuxLibc.CALLING_THREAD, beyond))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got 8192");
  }
}
