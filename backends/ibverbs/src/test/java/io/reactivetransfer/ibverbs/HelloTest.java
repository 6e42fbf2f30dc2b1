package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.Ib;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What NICs say to each other is understood as it was meant, and nonsense is not. */
class HelloTest {

  private static final Hello HELLO = new Hello(7, 0x123456, Hello.MOST_24_BITS, Ib.IBV_MTU_4096);

  /** What follows the head. */
  private static ByteBuffer rest(Hello hello) {
    return hello.encode(3).position(Hello.HEAD_BYTES);
  }

  @Test
  void whatIsEncodedIsDecoded() {
    ByteBuffer message = HELLO.encode(3);
    assertThat(message.get()).isEqualTo(Hello.HELLO);
    assertThat(message.getLong()).isEqualTo(7);
    assertThat(message.getLong()).isEqualTo(3);
    assertThat(Hello.decode(7, message)).isEqualTo(HELLO);
  }

  @Test
  void aNumberOrAPacketOfMoreThan24BitsIsNonsense() {
    int tooMuch = Hello.MOST_24_BITS + 1;
    assertThat(Hello.decode(7, rest(new Hello(7, tooMuch, 1, Ib.IBV_MTU_256)))).isNull();
    assertThat(Hello.decode(7, rest(new Hello(7, -1, 1, Ib.IBV_MTU_256)))).isNull();
    assertThat(Hello.decode(7, rest(new Hello(7, 1, tooMuch, Ib.IBV_MTU_256)))).isNull();
    assertThat(Hello.decode(7, rest(new Hello(7, 1, Integer.MIN_VALUE, 1)))).isNull();
  }

  @Test
  void anMtuThatThereIsNotIsNonsense() {
    for (int mtu : new int[] {0, 6, 127, 128, 255}) {
      assertThat(Hello.decode(7, rest(new Hello(7, 1, 1, mtu)))).as("MTU %s", mtu).isNull();
    }
    for (int mtu = Ib.IBV_MTU_256; mtu <= Ib.IBV_MTU_4096; mtu++) {
      assertThat(Hello.decode(7, rest(new Hello(7, 1, 1, mtu)))).as("MTU %s", mtu).isNotNull();
    }
  }

  @Test
  void anotherLengthOrNoSerialNumberIsNonsense() {
    byte[] whole = new byte[rest(HELLO).remaining()];
    rest(HELLO).get(whole);
    for (int length = 0; length < whole.length; length++) {
      assertThat(Hello.decode(7, ByteBuffer.wrap(whole, 0, length))).as("of %s", length).isNull();
    }
    assertThat(Hello.decode(7, ByteBuffer.allocate(whole.length + 1).put(whole).rewind())).isNull();
    assertThat(Hello.decode(0, rest(HELLO))).isNull();
  }

  @Test
  void thatItIsReadyIsTheHeadAlone() {
    ByteBuffer message = Hello.ready(7, 3);
    assertThat(message.remaining()).isEqualTo(Hello.HEAD_BYTES);
    assertThat(message.get()).isEqualTo(Hello.READY);
    assertThat(message.getLong()).isEqualTo(7);
    assertThat(message.getLong()).isEqualTo(3);
  }

  @Test
  void aRefusalSaysWhyAndIsCutWhereThatIsLong() {
    ByteBuffer message = Hello.refused(7, 3, "no memory");
    assertThat(message.get()).isEqualTo(Hello.REFUSED);
    message.position(Hello.HEAD_BYTES);
    assertThat(StandardCharsets.UTF_8.decode(message).toString()).isEqualTo("no memory");
    assertThat(Hello.refused(7, 3, "x".repeat(10_000)).remaining())
        .isEqualTo(Hello.HEAD_BYTES + 512);
  }
}
