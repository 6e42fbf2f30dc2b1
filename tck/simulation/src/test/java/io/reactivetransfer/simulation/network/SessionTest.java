package io.reactivetransfer.simulation.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.ControlSink;
import io.reactivetransfer.spi.EngineIdentity;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rule 26.10, which the simulated control channel keeps as those that the kit asks. */
class SessionTest {

  private static final int SEEDS = 300;

  /** Long enough for a session to be made, or to be lost. */
  private static final long WHILE = 1_000_000_000;

  /** One engine's channel, and what it has told. */
  private static final class End implements ControlSink {
    private final VirtualTime time;
    private final SimulatedControl control;
    private final List<String> told = new ArrayList<>();

    End(VirtualTime time, SimulatedNetwork network, int place) {
      this.time = time;
      EngineIdentity identity = EngineIdentity.of(new EngineId(1, place));
      ControlContext context =
          ControlContext.builder(identity, "simulated", () -> {}).loop(FenceTest.LOOP).build();
      control =
          network.openControl(context, new SimulatedProcess(place, time, Weather.calm(), place));
    }

    boolean send(End to, int number) {
      ByteBuffer message = ByteBuffer.allocate(1).put(0, (byte) number);
      return control.send(to.control.engine(), to.control.address(), message);
    }

    void sendNow(End to, int number) {
      long end = time.nanos() + WHILE;
      while (!send(to, number)) {
        assertThat(time.nanos()).as("when a message is refused").isLessThan(end);
        pass(time, 1_000);
      }
    }

    List<String> poll() {
      while (control.poll(this) > 0) {
        continue;
      }
      return told;
    }

    @Override
    public void received(EngineId sender, ByteBuffer bytes) {
      told.add("received " + bytes.get());
    }

    @Override
    public void found(long token, EngineId peer) {
      told.add("found");
    }

    @Override
    public void notFound(long token, int code, String text) {
      told.add("not found");
    }

    @Override
    public void peerLost(EngineId peer, int code, String text) {
      told.add("lost");
    }

    @Override
    public void channelFailed(int code, String text) {
      told.add("failed");
    }
  }

  private static void pass(VirtualTime time, long nanos) {
    long until = time.nanos() + nanos;
    time.after(nanos, () -> {});
    Long next;
    while ((next = time.nextNanos()) != null && next <= until) {
      time.step();
    }
  }

  @Test
  void nothingIsSaidInASessionThatItsEngineWasNotToldOf() {
    for (long seed = 0; seed < SEEDS; seed++) {
      VirtualTime time = new VirtualTime(seed);
      SimulatedNetwork network =
          new SimulatedNetwork(time, Weather.calm(), new WireObserver() {}, seed);
      End one = new End(time, network, 0);
      End other = new End(time, network, 1);
      one.sendNow(other, 0);
      other.sendNow(one, 0);
      pass(time, WHILE);
      assertThat(one.poll()).as("seed %s", seed).containsExactly("received 0");
      assertThat(other.poll()).as("seed %s", seed).containsExactly("received 0");
      other.control.disconnect(one.control.engine(), "a test");
      other.sendNow(one, 1);
      pass(time, WHILE);
      if (seed % 2 == 0) {
        one.control.find(7, other.control.address());
      }
      assertThat(one.send(other, 9)).as("before it was told, seed %s", seed).isFalse();
      pass(time, WHILE);
      assertThat(one.poll())
          .as("seed %s", seed)
          .filteredOn(event -> !event.equals("found"))
          .containsExactly("received 0", "lost", "received 1");
      one.sendNow(other, 2);
      pass(time, WHILE);
      assertThat(other.poll()).as("seed %s", seed).containsExactly("received 0", "received 2");
    }
  }
}
