package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.SetUp.QueuePair;
import io.reactivetransfer.ibverbs.ffi.Ib;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What NICs say to each other is understood as it was meant, and nonsense is not. */
class SetUpTest {

  private static final QueuePair OWN = new QueuePair(0x123456, SetUp.MOST_24_BITS, Ib.IBV_MTU_4096);

  /** What follows the head. */
  private static ByteBuffer rest(QueuePair own) {
    return SetUp.request(7, own).position(SetUp.HEAD_BYTES);
  }

  private static QueuePair decoded(int number, int psn, int mtu) {
    return QueuePair.decode(rest(new QueuePair(number, psn, mtu)));
  }

  @Test
  void whatIsEncodedIsDecoded() {
    ByteBuffer request = SetUp.request(7, OWN);
    assertThat(request.get()).isEqualTo(SetUp.REQUEST);
    assertThat(request.getLong()).isEqualTo(7);
    assertThat(QueuePair.decode(request)).isEqualTo(OWN);
    ByteBuffer reply = SetUp.reply(8, OWN);
    assertThat(reply.get()).isEqualTo(SetUp.REPLY);
    assertThat(reply.getLong()).isEqualTo(8);
    assertThat(QueuePair.decode(reply)).isEqualTo(OWN);
  }

  @Test
  void aNumberOrAPacketOfMoreThan24BitsIsNonsense() {
    int tooMuch = SetUp.MOST_24_BITS + 1;
    assertThat(decoded(tooMuch, 1, Ib.IBV_MTU_256)).isNull();
    assertThat(decoded(-1, 1, Ib.IBV_MTU_256)).isNull();
    assertThat(decoded(1, tooMuch, Ib.IBV_MTU_256)).isNull();
    assertThat(decoded(1, Integer.MIN_VALUE, Ib.IBV_MTU_256)).isNull();
  }

  @Test
  void anMtuThatThereIsNotIsNonsense() {
    for (int mtu : new int[] {0, 6, 127, 128, 255}) {
      assertThat(decoded(1, 1, mtu)).as("MTU %s", mtu).isNull();
    }
    for (int mtu = Ib.IBV_MTU_256; mtu <= Ib.IBV_MTU_4096; mtu++) {
      assertThat(decoded(1, 1, mtu)).as("MTU %s", mtu).isNotNull();
    }
  }

  @Test
  void anotherLengthIsNonsense() {
    byte[] whole = new byte[rest(OWN).remaining()];
    rest(OWN).get(whole);
    for (int length = 0; length < whole.length; length++) {
      assertThat(QueuePair.decode(ByteBuffer.wrap(whole, 0, length))).as("of %s", length).isNull();
    }
    ByteBuffer longer = ByteBuffer.allocate(whole.length + 1).put(whole).rewind();
    assertThat(QueuePair.decode(longer)).isNull();
  }

  @Test
  void thatItHasEndedIsTheHeadAlone() {
    ByteBuffer message = SetUp.disconnect(7);
    assertThat(message.remaining()).isEqualTo(SetUp.HEAD_BYTES);
    assertThat(message.get()).isEqualTo(SetUp.DISCONNECT);
    assertThat(message.getLong()).isEqualTo(7);
  }

  @Test
  void aRefusalSaysWhyAndIsCutWhereThatIsLong() {
    ByteBuffer message = SetUp.reject(7, "no memory");
    assertThat(message.get()).isEqualTo(SetUp.REJECT);
    message.position(SetUp.HEAD_BYTES);
    assertThat(StandardCharsets.UTF_8.decode(message).toString()).isEqualTo("no memory");
    assertThat(SetUp.reject(7, "x".repeat(10_000)).remaining()).isEqualTo(SetUp.HEAD_BYTES + 512);
  }
}
