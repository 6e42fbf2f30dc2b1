package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class TwoProcessesTest {

  private static Set<ProcessHandle> children() {
    return ProcessHandle.current().children().collect(Collectors.toSet());
  }

  /** An address that is of no machine. */
  @Test
  void aTargetThatDoesNotOpenLeavesNoProcess() throws Exception {
    Set<ProcessHandle> before = children();
    Plan plan = Plans.small("tcp", Op.WRITE_IMM, Signals.NIC).at("192.0.2.1");
    Progress progress = new Progress(new PrintWriter(Writer.nullWriter()), plan);
    assertThatThrownBy(() -> TwoProcesses.run(plan, progress))
        .isInstanceOf(SideFailedException.class)
        .hasMessageStartingWith("target: ");
    List<ProcessHandle> left = children().stream().filter(each -> !before.contains(each)).toList();
    for (ProcessHandle each : left) {
      assertThat(each.onExit().get(40, TimeUnit.SECONDS).isAlive()).isFalse();
    }
  }
}
