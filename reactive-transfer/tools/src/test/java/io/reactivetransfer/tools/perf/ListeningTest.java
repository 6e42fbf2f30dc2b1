package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.ParameterException;

/** What another host may have a listening command do. */
class ListeningTest {

  @Test
  void aPlanIsReadAsItWasSent() {
    Plan plan = PerfCommand.planOf(Plans.small("tcp", Op.PAGED, Signals.PARALLEL).toArguments());
    Plan read = Listening.plan(String.join(Listening.SEPARATOR, plan.toArguments()));
    assertThat(read).isEqualTo(plan);
    assertThat(read.place()).isEqualTo(Plan.Place.TWO_HOSTS);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "--json=/tmp/figures",
        "--svg=figures.svg",
        "--host=10.0.0.1",
        "--side=origin",
        "--file",
        "@/etc/passwd",
        "--provider=@/etc/passwd",
        "--backend=loopback",
        "--backend=carrier-pigeon",
        "--size=2G",
        "--size=1M\t--pages=65536\t--op=paged",
        "--outstanding=65537",
        "--nics=9"
      })
  void anythingElseIsRefused(String line) {
    assertThatThrownBy(() -> Listening.plan(line))
        .isInstanceOfAny(IllegalArgumentException.class, ParameterException.class);
  }
}
