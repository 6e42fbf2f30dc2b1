package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;
import io.reactivetransfer.fuzz.Target;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Other NICs may send what they like, in whatever order, while this one does its work. */
@Timeout(7_200)
class HostileFramesFuzzTest {

  private static final List<Frame.Type> TYPES = List.of(Frame.Type.values());
  private static final int SENDERS = 3;
  private static final int MAX_CONTENT_BYTES = 1_500;
  private static final int STEPS = 60;

  /** All that were posted, and a message takes one for no longer than it is looked at. */
  private static final int BUFFERS = 64;

  @Test
  void nothingThatComesDoesHarm() {
    Fuzz.run(
        Target.LIBFABRIC_FRAMES,
        in -> {
          ByteBuffer any = ByteBuffer.wrap(in.bytes(in.below(200)));
          Frame.read(any);
          try (TappedNic nic = new TappedNic()) {
            new Run(in, nic).all();
          }
        });
  }

  /** One case. */
  private static final class Run {
    private final Input in;
    private final TappedNic nic;
    private final Token token;
    private final long[] numbers = new long[SENDERS];
    private boolean taking = true;

    Run(Input in, TappedNic nic) {
      this.in = in;
      this.nic = nic;
      this.token = nic.register();
      nic.tap.sends(() -> taking && in.chance(90)).inserts(() -> taking && in.chance(90));
    }

    void all() {
      for (int step = 0; step < STEPS; step++) {
        step();
        assertThat(nic.tap.offered()).as("buffers").isEqualTo(BUFFERS);
        assertThat(nic.peers.all()).hasSizeLessThanOrEqualTo(2 * STEPS);
      }
      nic.tap.sends(() -> true).inserts(() -> true);
      nic.pollFor(4 * TappedNic.CONNECT_NANOS);
      assertThat(nic.peers.areNeedy()).as("somebody is looked after for ever").isFalse();
      assertThat(nic.peers.all()).allMatch(peer -> peer.sending() == 0);
    }

    private void step() {
      switch (in.below(13)) {
        case 0 -> ask();
        case 1 -> send();
        case 2 -> {
          taking = !taking;
          in.note(() -> "messages are taken: " + taking);
        }
        case 3 -> {
          in.note(() -> "half the time to answer passes");
          nic.pollFor(TappedNic.CONNECT_NANOS / 2);
        }
        case 4 -> {
          in.note(() -> "a peer is given up");
          nic.peers.disconnect(peer().peer(), "given up");
          nic.poll();
        }
        case 5 -> {
          in.note(() -> "nobody looks for long");
          nic.pass(10 * TappedNic.CONNECT_NANOS);
          nic.poll();
        }
        default -> hear();
      }
    }

    private HeldPeer peer() {
      int sender = in.below(SENDERS);
      return nic.peers.resolve(new EngineId(7, sender), sender, new byte[] {(byte) sender});
    }

    private void ask() {
      in.note(() -> "this NIC asks");
      Route route = new Route(peer(), token);
      if (route.state() == Route.State.NEW) {
        nic.peers.ask(route);
      }
      nic.poll();
    }

    private void send() {
      in.note(() -> "this NIC sends");
      nic.peers.send(peer().peer(), ByteBuffer.wrap(in.bytes(in.below(100))));
      nic.poll();
    }

    private void hear() {
      byte[] frame = frame();
      byte[] bytes = in.chance(20) ? Mutation.some(in, frame) : frame;
      in.note(() -> "comes " + HexFormat.of().formatHex(bytes));
      nic.hear(bytes);
    }

    private byte[] frame() {
      Frame.Type type = in.oneOf(TYPES);
      int sender = in.below(SENDERS);
      EngineId engine = in.chance(90) ? new EngineId(7, sender) : new EngineId(8, in.anyLong());
      byte[] name = in.bytes(in.chance(90) ? in.between(1, 32) : in.below(256));
      boolean next = in.chance(70);
      long number = next ? numbers[sender] : in.edge();
      int epoch = in.chance(70) ? 1 : in.chance(50) ? in.between(0, 4) : (int) in.edge();
      if (next && type.isInOrder()) {
        numbers[sender]++;
      }
      return TappedNic.frame(type, engine, epoch, number, name, content(type));
    }

    private byte[] content(Frame.Type type) {
      if (in.chance(30)) {
        return in.bytes(in.below(in.chance(90) ? 64 : MAX_CONTENT_BYTES));
      }
      int ask = in.between(1, 5);
      return switch (type) {
        case ASK -> ByteBuffer.allocate(24).putLong(ask).put(someToken().encode()).array();
        case GRANT ->
            ByteBuffer.allocate(40)
                .putLong(ask)
                .putLong(in.edge())
                .putLong(in.anyLong())
                .putLong(in.edge())
                .putLong(in.anyLong())
                .array();
        case DENY -> ByteBuffer.allocate(20).putLong(ask).put(in.bytes(12)).array();
        case RESET -> ByteBuffer.allocate(4).putInt(in.between(0, 5)).array();
        case CONTROL, BYE -> in.bytes(in.below(64));
      };
    }

    private Token someToken() {
      return in.chance(70) ? token : new Token(in.anyLong(), in.anyLong());
    }
  }
}
