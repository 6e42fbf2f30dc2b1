package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.spi.Capabilities;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Chapter 17, continued: control messages, and what lies at and beyond the declared maxima. */
abstract class DriverLimitRules extends RuleGroup {

  /** Writes that are tried beyond the declared depth. */
  private static final int BEYOND = 100;

  /** More than most NICs keep for a target that does not look. */
  private static final int MANY_MESSAGES = 2_000;

  private static final int MAX_REFUSALS = 50;

  /** So often one NIC is turned while the other does not look. */
  private static final int TURNS_ALONE = 300;

  /** A longer write is not tried. */
  private static final long MAX_TRIED_BYTES = (1L << 24) + 1;

  DriverLimitRules(TransferConformance kit) {
    super(kit);
  }

  private byte[] noise(int length) {
    byte[] bytes = new byte[length];
    stage().random().nextBytes(bytes);
    return bytes;
  }

  private static Capabilities capabilities(Wire wire) {
    return wire.origin().call(nic -> nic.capabilities());
  }

  private static void expectMessages(Wire wire, List<byte[]> sent) {
    wire.until("all messages", () -> wire.target().messages().size() >= sent.size());
    wire.throughout(() -> assertThat(wire.target().messages()).hasSameSizeAs(sent));
    List<byte[]> received = wire.target().messages();
    for (int i = 0; i < sent.size(); i++) {
      assertThat(received.get(i))
          .as("message %s, of %s bytes", i, sent.get(i).length)
          .isEqualTo(sent.get(i));
    }
  }

  @Test
  final void r17_8_aControlMessageOfAnyLengthComesWhole() {
    stage().require(Capability.MESSAGES);
    Wire wire = Wire.open(stage(), Wire.LENGTH, 0);
    int declared = capabilities(wire).maxControlBytes();
    assertThat(declared)
        .as("maxControlBytes, for the engine's own frames")
        .isGreaterThanOrEqualTo(Capabilities.MIN_CONTROL_BYTES);
    int max = Math.min(declared, BareNic.MAX_CONTROL_BYTES);
    TreeSet<Integer> lengths = new TreeSet<>(List.of(1, 2, 3, 100, 1_500, max - 1, max));
    for (int power = 16; power < max; power *= 2) {
      lengths.addAll(List.of(power - 1, power, power + 1));
    }
    List<byte[]> sent = lengths.stream().map(this::noise).toList();
    for (byte[] message : sent) {
      wire.send(ByteBuffer.wrap(message.clone()));
    }
    expectMessages(wire, sent);
  }

  @Test
  final void r17_9_theBufferOfAMessageIsTheCallersAgain() {
    stage().require(Capability.MESSAGES);
    Wire wire = Wire.open(stage(), Wire.LENGTH, 0);
    List<byte[]> sent = new ArrayList<>();
    List<ByteBuffer> buffers =
        List.of(ByteBuffer.allocate(3_000), ByteBuffer.allocateDirect(3_000));
    for (int i = 0; i < 40; i++) {
      ByteBuffer buffer = buffers.get(i % 2).clear();
      byte[] message = noise(1 + stage().random().nextInt(2_000));
      sent.add(message);
      int position = stage().random().nextInt(900);
      buffer.position(position).put(message).flip().position(position);
      wire.send(i % 3 == 0 ? buffer.asReadOnlyBuffer() : buffer);
      assertThat(buffer.position()).as("position of a buffer that was sent").isEqualTo(position);
      assertThat(buffer.limit()).as("its limit").isEqualTo(position + message.length);
      buffer.put(new byte[message.length]); // what was sent was copied
    }
    expectMessages(wire, sent);
  }

  /** The target does not look, so that what was taken over lies somewhere. */
  @Test
  final void r17_9_whatWaitsForItsTargetIsACopyAndKeepsItsOrder() {
    stage().require(Capability.MESSAGES);
    Wire wire = Wire.open(stage(), Wire.LENGTH, 0);
    wire.connect();
    ByteBuffer buffer = ByteBuffer.allocate(1_000);
    List<byte[]> sent = new ArrayList<>();
    int refusals = 0;
    while (sent.size() < MANY_MESSAGES && refusals < MAX_REFUSALS) {
      byte[] message = noise(1 + stage().random().nextInt(buffer.capacity()));
      buffer.clear().put(message).flip();
      if (wire.origin().call(nic -> nic.send(wire.ends().peer(), buffer))) {
        sent.add(message);
      } else {
        refusals++;
        wire.origin().turn();
      }
      Arrays.fill(buffer.array(), (byte) 0);
    }
    expectMessages(wire, sent);
  }

  @Test
  final void r17_10_whatIsTakenOverBeyondTheDepthIsReported() {
    Wire wire = Wire.open(stage(), Wire.LENGTH, 0);
    wire.connect();
    int most = Math.min(capabilities(wire).queueDepth(), 1 << 16) + BEYOND;
    List<String> taken = new ArrayList<>();
    for (long token = 0; token < most; token++) {
      var op = wire.write(0, 0, 16, token).withImm((int) token);
      if (wire.origin().call(nic -> nic.post(op).isTaken())) {
        taken.add("written " + token);
      }
    }
    for (int turn = 0; turn < TURNS_ALONE; turn++) {
      wire.target().turn(); // what is settled meanwhile waits for the origin
    }
    wire.until("all reported", () -> wire.origin().reported() > taken.size());
    wire.until("all arrived", () -> wire.target().reported() >= taken.size());
    wire.throughout(
        () -> assertThat(wire.origin().reported()).as("reports").isEqualTo(taken.size() + 1));
    assertThat(wire.origin().reports().subList(1, taken.size() + 1))
        .containsExactlyInAnyOrderElementsOf(taken);
    assertThat(wire.target().reports()).hasSize(taken.size()).doesNotHaveDuplicates();
  }

  @Test
  final void r17_11_whatExceedsAMaximumIsNotDoneInPart() {
    Wire wire = Wire.open(stage(), Wire.LENGTH, 0);
    wire.connect();
    if (wire.carriesMessages()) {
      expectNoPartOfALongMessage(wire);
    }
    long tooLong = capabilities(wire).maxWriteBytes() + 1;
    if (tooLong > MAX_TRIED_BYTES) {
      return;
    }
    Wire wide = Wire.open(stage(), tooLong, 0);
    wide.connect();
    var op = wide.write(0, 0, tooLong, 1).withImm(1);
    boolean[] taken = new boolean[1];
    if (wide.origin().attempt(nic -> taken[0] = nic.post(op).isTaken()) == null && taken[0]) {
      wide.until("a report", () -> wide.origin().reported() == 2);
    }
    wide.throughout(() -> assertThat(wide.origin().reported()).isLessThanOrEqualTo(2));
    if (wide.origin().hasReported("written 1") || wide.target().hasReported("imm 1")) {
      assertThat(wide.to().mismatch(wide.from())).as("a write that is too long").isEqualTo(-1);
    }
    wide.post(wide.write(0, 0, 10, 2));
    wide.until("a write afterwards", () -> wide.origin().hasReported("written 2"));
  }

  private void expectNoPartOfALongMessage(Wire wire) {
    List<byte[]> sent = new ArrayList<>(List.of(noise(capabilities(wire).maxControlBytes() + 1)));
    if (!takes(wire, sent.getFirst())) {
      sent.clear();
    }
    sent.add(noise(100));
    wire.send(ByteBuffer.wrap(sent.getLast()));
    expectMessages(wire, sent);
  }

  /** Whether the NIC takes this message, by and by; it may say no, or throw. */
  private static boolean takes(Wire wire, byte[] message) {
    return IntStream.range(0, 20)
        .anyMatch(i -> {
          boolean[] taken = new boolean[1];
          wire.origin()
              .attempt(nic -> taken[0] = nic.send(wire.ends().peer(), ByteBuffer.wrap(message)));
          wire.turn();
          return taken[0];
        });
  }
}
