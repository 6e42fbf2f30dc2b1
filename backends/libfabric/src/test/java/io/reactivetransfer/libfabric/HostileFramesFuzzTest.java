package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;
import io.reactivetransfer.fuzz.Target;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** NICs of peers may say what they like, in whatever order, while this one does its work. */
@Timeout(7_200)
class HostileFramesFuzzTest {

  private static final int PEERS = 3;
  private static final int MAX_BYTES = 1_024;
  private static final int STEPS = 60;

  @Test
  void nothingThatComesDoesHarm() {
    Fuzz.run(
        Target.LIBFABRIC_FRAMES,
        in -> {
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
    private final List<FabricPeer> peers = new ArrayList<>();
    private int heard;

    Run(Input in, TappedNic nic) {
      this.in = in;
      this.nic = nic;
      this.token = nic.register();
      for (int i = 0; i < PEERS; i++) {
        peers.add(nic.peers.resolve(new EngineId(7, i)));
      }
    }

    void all() {
      nic.tap.inserts(() -> in.chance(90));
      for (int step = 0; step < STEPS; step++) {
        step();
        assertThat(nic.peers.all()).hasSize(PEERS);
        assertThat(nic.sink.said()).as("at most one answer to each, and asks").hasSizeLessThan(200);
      }
      nic.tap.inserts(() -> true);
      nic.pollFor(4 * TappedNic.CONNECT_NANOS);
      assertThat(nic.peers.areUnsettled()).as("something is waited for for ever").isFalse();
      assertThat(nic.peers.isDue()).isFalse();
    }

    private void step() {
      int peer = in.below(PEERS);
      switch (in.below(10)) {
        case 0, 1 -> {
          in.note(() -> "this NIC asks");
          nic.peers.ask(new Route(peers.get(peer), token));
          nic.poll();
        }
        case 2 -> {
          in.note(() -> "half the time to answer passes");
          nic.pollFor(TappedNic.CONNECT_NANOS / 2);
        }
        case 3 -> {
          in.note(() -> "a peer is given up");
          nic.peers.disconnect(peers.get(peer), "given up");
          nic.poll();
        }
        case 4 -> {
          in.note(() -> "a peer is released, and resolved again");
          nic.peers.release(peers.get(peer));
          peers.set(peer, nic.peers.resolve(new EngineId(7, peer)));
          nic.poll();
        }
        default -> hear(peers.get(peer));
      }
    }

    private void hear(FabricPeer from) {
      byte[] message = message();
      byte[] bytes = in.chance(20) ? Mutation.some(in, message) : message;
      in.note(() -> "comes " + HexFormat.of().formatHex(bytes));
      nic.peers.heard(from, ByteBuffer.wrap(bytes).asReadOnlyBuffer());
      heard++;
      nic.poll();
      assertThat(nic.sink.said().size()).isLessThanOrEqualTo(heard + STEPS);
    }

    private byte[] message() {
      if (in.chance(20)) {
        return in.bytes(in.below(in.chance(90) ? 64 : MAX_BYTES));
      }
      ByteBuffer out = ByteBuffer.allocate(200);
      byte kind = (byte) in.below(4);
      out.put(kind).putLong(in.chance(90) ? in.between(1, 5) : in.edge());
      switch (kind) {
        case Asks.ASK -> out.put((in.chance(70) ? token : new Token(1, in.anyLong())).encode());
        case Asks.GRANT ->
            out.putLong(in.edge())
                .putLong(in.anyLong())
                .putLong(in.edge())
                .put(in.bytes(in.below(40)));
        default -> out.put(in.bytes(in.below(64)));
      }
      byte[] bytes = new byte[out.flip().remaining()];
      out.get(bytes);
      return bytes;
    }
  }
}
