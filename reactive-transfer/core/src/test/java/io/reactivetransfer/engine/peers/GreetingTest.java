package io.reactivetransfer.engine.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.DescriptorFormatException;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.Nic;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;
import io.reactivetransfer.fuzz.Target;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The first thing that engines say to each other, and what is taken for it. */
class GreetingTest {

  private static final PeerAddress ADDRESS =
      new PeerAddress("b", new EngineId(1, 2), new HostPort("h", 258));

  /** Behind the kind: three numbers, the length of the address, and the address. */
  private static final int COUNT_AT =
      1 + 3 * Integer.BYTES + Short.BYTES + ADDRESS.toBytes().length;

  private static PeerNic nic(int address, int key) {
    byte[] where = new byte[address];
    byte[] doorbell = new byte[key];
    Arrays.fill(where, (byte) 10);
    Arrays.fill(doorbell, (byte) 12);
    return new PeerNic(where, doorbell);
  }

  private static Greeting greeting(PeerNic... nics) {
    return new Greeting(5, 6, 7, ADDRESS, List.of(nics));
  }

  /** One that says as much as there can be said. */
  static Greeting longest() {
    PeerAddress address =
        new PeerAddress(
            "n".repeat(32), new EngineId(-1, -1), new HostPort("h".repeat(255), 65_535));
    return new Greeting(
        -1, -1, Integer.MAX_VALUE, address, Collections.nCopies(Nic.MAX_PER_ENGINE, nic(256, 64)));
  }

  private static Greeting read(byte[] frame) {
    return Greeting.read(ByteBuffer.wrap(frame).position(ControlFrame.HEADER_BYTES));
  }

  private static void refused(byte[] frame, String text) {
    assertThatExceptionOfType(DescriptorFormatException.class)
        .isThrownBy(() -> read(frame))
        .withMessageContaining(text);
  }

  private static byte[] changed(int at, int value) {
    byte[] frame = greeting(nic(2, 2)).toFrame().array();
    frame[at] = (byte) value;
    return frame;
  }

  private static void assertSame(Greeting read, Greeting written) {
    assertThat(read.epoch()).isEqualTo(written.epoch());
    assertThat(read.known()).isEqualTo(written.known());
    assertThat(read.longest()).isEqualTo(written.longest());
    assertThat(read.address()).isEqualTo(written.address());
    assertThat(read.nics()).hasSameSizeAs(written.nics());
    for (int i = 0; i < read.nics().size(); i++) {
      assertThat(read.nics().get(i).address()).isEqualTo(written.nics().get(i).address());
      assertThat(read.nics().get(i).doorbellKey()).isEqualTo(written.nics().get(i).doorbellKey());
    }
  }

  @Test
  void comesBackEqual() {
    for (Greeting greeting :
        List.of(greeting(nic(1, 1)), greeting(nic(3, 2), nic(4, 5), nic(1, 64)), longest())) {
      ByteBuffer frame = greeting.toFrame();
      assertThat(frame.get()).isEqualTo(ControlFrame.HELLO);
      assertSame(Greeting.read(frame), greeting);
      assertThat(frame.hasRemaining()).isFalse();
    }
  }

  @Test
  void itsNumbersStandWhereTheyMust() {
    assertThat(greeting(nic(1, 1)).toFrame().array())
        .startsWith(1, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 7)
        .endsWith(1, 0, 1, 10, 0, 1, 12);
  }

  @Test
  void isRefusedWhenTruncated() {
    byte[] whole = greeting(nic(3, 2), nic(4, 5)).toFrame().array();
    for (int length = 1; length < whole.length; length++) {
      refused(Arrays.copyOf(whole, length), "not a");
    }
  }

  @Test
  void isRefusedWithBytesBehind() {
    byte[] whole = greeting(nic(1, 1)).toFrame().array();
    refused(Arrays.copyOf(whole, whole.length + 1), "no bytes behind the last NIC, got 1");
  }

  @Test
  void isRefusedWithoutANumberOfItsSender() {
    byte[] frame = new Greeting(0, 6, 7, ADDRESS, List.of(nic(1, 1))).toFrame().array();
    refused(frame, "a number other than 0");
  }

  @Test
  void isRefusedWithOtherThanOneToEightNics() {
    refused(changed(COUNT_AT, 0), "1 to 8 NICs, got 0");
    refused(changed(COUNT_AT, 9), "1 to 8 NICs, got 9");
    refused(changed(COUNT_AT, -1), "1 to 8 NICs");
    refused(changed(COUNT_AT, 2), "a field of 1 to");
  }

  @Test
  void isRefusedWithFieldsThatAreEmptyOrTooLong() {
    refused(changed(COUNT_AT + 2, 0), "got 0");
    refused(changed(COUNT_AT + 1, 0xff), "got 65282");
    refused(greeting(nic(PeerNic.MAX_ADDRESS_BYTES + 1, 1)).toFrame().array(), "got 257");
    refused(greeting(nic(1, PeerNic.MAX_KEY_BYTES + 1)).toFrame().array(), "got 65");
  }

  @Test
  void isRefusedWithAnAddressThatIsNone() {
    refused(changed(1 + 3 * Integer.BYTES + Short.BYTES, 'X'), "not a peer address");
  }

  // ---- whatever comes ----

  @Test
  @Timeout(7_200)
  void isReadAsWhatItSaysOrRefused() {
    Fuzz.run(Target.GREETING, in -> check(in, GreetingTest::read));
  }

  /** A reader that takes a part of what is there. */
  @Test
  void findsADefect() {
    Function<byte[], Greeting> forgetsTheEnd =
        bytes -> {
          for (int length = bytes.length; length > bytes.length - 8; length--) {
            try {
              return read(Arrays.copyOf(bytes, Math.max(1, length)));
            } catch (DescriptorFormatException e) {
              // then one byte less
            }
          }
          return read(bytes);
        };
    assertThat(Fuzz.firstFailure(Target.GREETING, 1, 0, 5_000, in -> check(in, forgetsTheEnd)))
        .isPresent();
  }

  private static void check(Input in, Function<byte[], Greeting> reader) {
    byte[] whole = any(in).toFrame().array();
    byte[] bytes = in.chance(5) ? whole : Mutation.some(in, whole);
    in.note(() -> "original: " + HexFormat.of().formatHex(whole));
    in.note(() -> "given:    " + HexFormat.of().formatHex(bytes));
    if (bytes.length == 0) {
      return; // without a kind it is no greeting
    }
    Greeting read;
    try {
      read = reader.apply(bytes);
    } catch (DescriptorFormatException e) {
      assertThat(Arrays.equals(bytes, whole)).as("refuses what was written: %s", e).isFalse();
      assertThat(e).hasMessageStartingWith("not a").hasMessageContaining("expected");
      return;
    }
    byte[] again = read.toFrame().array();
    again[0] = bytes[0];
    assertThat(again).as("written again").isEqualTo(bytes);
    assertThat(read.epoch()).isNotZero();
  }

  private static Greeting any(Input in) {
    List<PeerNic> nics = new ArrayList<>();
    for (int count = in.between(1, 8); count > 0; count--) {
      nics.add(new PeerNic(in.bytes(in.between(1, 20)), in.bytes(in.between(1, 64))));
    }
    int epoch = Math.max(1, in.below(100));
    PeerAddress address =
        new PeerAddress(
            "tcp", new EngineId(in.anyLong(), in.anyLong()), new HostPort("h", in.between(1, 99)));
    int longest = Math.max(1, (int) in.edge());
    return new Greeting(epoch, (int) in.edge(), longest, address, nics);
  }
}
