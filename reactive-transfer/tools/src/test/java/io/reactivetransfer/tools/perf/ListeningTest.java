package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Device;
import io.reactivetransfer.tools.process.HostPort;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
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
    List<String> overMemory = new ArrayList<>(plan.toArguments());
    overMemory.add("--memory=488M");
    Plan over = Listening.plan(String.join(Listening.SEPARATOR, overMemory));
    assertThat(over.memory()).isEqualTo(488 << 20);
    assertThat(over.toArguments()).contains("--memory=" + (488 << 20));
  }

  @Test
  void aPlanSaysInWhoseMemory() {
    Plan plan = Listening.plan("--device=cuda:1");
    assertThat(plan.device()).isEqualTo(Device.of("cuda", 1));
    assertThat(plan.toArguments()).contains("--device=cuda:1");
  }

  /** Or who has given it would wait for that before it gives the next one. */
  @Test
  void ofAPlanThatIsRefusedTheEndIsToldToo() throws Exception {
    BlockingQueue<String> said = new LinkedBlockingQueue<>();
    CompletableFuture<Void> there = CompletableFuture.runAsync(() -> serve(said));
    String waiting = said.poll(40, TimeUnit.SECONDS);
    assertThat(waiting).startsWith("waiting at 127.0.0.1:");
    HostPort at = HostPort.of("--connect", waiting.substring("waiting at ".length()));
    try (HostSide side = HostSide.connect(at)) {
      assertThatThrownBy(() -> side.roundTrip("carrier-pigeon", 1))
          .isInstanceOf(SideFailedException.class)
          .hasMessageContaining("carrier-pigeon");
      side.awaitEnd();
      assertThat(side.ending()).isEqualTo("at " + at + ": the plan was refused");
    }
    there.get(40, TimeUnit.SECONDS);
  }

  private static void serve(BlockingQueue<String> said) {
    try {
      Listening.serve(new HostPort("127.0.0.1", 0), Map.of(), said::add);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
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
        "--op=paged\t--memory=5G",
        "--op=paged\t--memory=0",
        "--op=send\t--memory=1M",
        "--nics=9",
        "--device=cuda:0:1",
        "--device=../cuda",
        "--device=cuda\t--op=send",
        "--fake-cuda"
      })
  void anythingElseIsRefused(String line) {
    assertThatThrownBy(() -> Listening.plan(line))
        .isInstanceOfAny(IllegalArgumentException.class, ParameterException.class);
  }
}
