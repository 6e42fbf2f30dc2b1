package io.reactivetransfer.staging;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;
import io.reactivetransfer.fuzz.Target;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A peer that may write to one memory says and writes what it likes, in whatever order: what is
 * none of its business stays as it is, and the writes of others go on.
 */
@Timeout(7_200)
class HostilePeerFuzzTest {

  private static final int LENGTH = 3_000;
  private static final int STEPS = 60;
  private static final long PATIENCE_NANOS = 20_000_000_000L;

  @Test
  void nothingThatItSaysOrWritesDoesHarm() {
    Fuzz.run(Target.STAGING, in -> new Run(in).all());
  }

  /** One case. */
  private static final class Run {
    private final Input in;
    private final StagedNic target = new StagedNic(CompletionLevel.DELIVERED, StagedNic.SHORT);
    private final StagedNic honest = new StagedNic();
    private final StagedNic hostile = new StagedNic(CompletionLevel.DELIVERED, StagedNic.SHORT);
    private final DeviceMemory told = target.device.allocate(LENGTH);
    private final DeviceMemory secret = target.device.allocate(LENGTH);
    private final DeviceMemory untold = target.device.allocate(LENGTH);
    private final RemoteMemory secretThere;
    private final RemoteMemory toldThere;
    private final LocalMemory hostileSource;
    private byte[] expected = new byte[LENGTH];
    private int written;
    private int hostileWrites;

    Run(Input in) {
      this.in = in;
      secretThere = honest.resolve(target, openOf(secret), LENGTH);
      toldThere = hostile.resolve(target, openOf(told), LENGTH);
      openOf(untold);
      hostileSource = hostile.register(hostile.onDevice(in.bytes(LENGTH)), Access.LOCAL);
    }

    private LocalMemory openOf(DeviceMemory memory) {
      return target.register(memory, Access.REMOTE_WRITE);
    }

    void all() {
      for (int step = 0; step < STEPS; step++) {
        step();
        turn();
      }
      in.note(() -> "the hostile peer is given up");
      target.domain.disconnect(target.peer(hostile), "given up");
      writeHonestly();
      until(target.domain::prepareWait, "something is waited for for ever");
      assertThat(target.device.read(untold)).isEqualTo(new byte[LENGTH]);
    }

    private void turn() {
      List.of(target, honest, hostile).forEach(StagedNic::turn);
    }

    private void until(BooleanSupplier done, String what) {
      long deadline = System.nanoTime() + PATIENCE_NANOS;
      while (!done.getAsBoolean()) {
        comeAll(honest);
        comeAll(target);
        turn();
        assertThat(System.nanoTime()).as("%s: %s", what, honest.reports).isLessThan(deadline);
      }
    }

    private static void comeAll(StagedNic nic) {
      List.copyOf(nic.main.onWay).forEach(ScriptedNic.OnWay::come);
      List.copyOf(nic.second.onWay).forEach(ScriptedNic.OnWay::come);
    }

    private void step() {
      switch (in.below(12)) {
        case 0, 1, 2 -> {
          in.note(() -> "the hostile peer writes where it may");
          int offset = in.below(LENGTH);
          Operation op = new Operation().between(hostileSource, toldThere);
          op.range(0, offset, in.between(0, LENGTH - offset)).token(++hostileWrites);
          hostile.domain.post(in.chance(50) ? op.withImm(-hostileWrites) : op);
        }
        case 3, 4 -> {
          in.note(() -> "what it writes comes");
          comeAll(hostile);
        }
        case 5, 6 -> {
          in.note(() -> "what it writes comes, with another frame");
          for (ScriptedNic.OnWay each : List.copyOf(hostile.second.onWay)) {
            each.tampered(this::tamper).come();
          }
        }
        case 7 -> {
          in.note(() -> "what it writes is lost");
          List.copyOf(hostile.second.onWay).forEach(ScriptedNic.OnWay::fail);
        }
        case 8 -> {
          in.note(() -> "an immediate comes of which nothing is known");
          target.second.hear(in.anyInt());
        }
        case 9 -> {
          in.note(() -> "it says something without a reason");
          ByteBuffer message = Messages.of((byte) in.below(10), in.anyLong(), "");
          byte[] bytes = new byte[message.remaining()];
          message.get(bytes);
          byte[] longer = in.chance(50) ? bytes : concat(bytes, in.bytes(in.below(200)));
          target.domain.fromPeer(target.peer(hostile), ByteBuffer.wrap(longer));
        }
        case 10 -> {
          boolean mutates = in.chance(50);
          in.note(() -> "from now on it says what it has to: " + !mutates);
          UnaryOperator<byte[]> changed = bytes -> Mutation.some(in, bytes);
          hostile.said = mutates ? changed : UnaryOperator.identity();
        }
        default -> writeHonestly();
      }
    }

    private static byte[] concat(byte[] first, byte[] second) {
      return ByteBuffer.allocate(first.length + second.length).put(first).put(second).array();
    }

    private void tamper(ByteBuffer frame) {
      for (int times = in.between(1, 3); times > 0 && frame.capacity() >= Frame.BYTES; times--) {
        int at = in.below(Frame.BYTES / Long.BYTES) * Long.BYTES;
        frame.putLong(at, in.chance(50) ? in.edge() : in.anyLong());
      }
    }

    /** Comes whole, once, and is counted once, whatever the other one does. */
    private void writeHonestly() {
      int token = 1_000_000 + ++written;
      in.note(() -> "the honest peer writes, " + token);
      expected = in.bytes(LENGTH);
      LocalMemory source = honest.register(honest.onDevice(expected), Access.LOCAL);
      until(() -> honest.write(source, secretThere, LENGTH, token).isTaken(), "no room");
      until(() -> honest.hasReported("written " + token), "the honest write");
      assertThat(target.device.read(secret)).isEqualTo(expected);
      String arrival = "imm " + token + " of " + honest.id.toShortString();
      assertThat(target.reports.stream().filter(arrival::equals)).hasSize(1);
      assertThat(honest.reports).hasSize(written);
    }
  }
}
