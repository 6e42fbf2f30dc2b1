package io.reactivetransfer.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;
import io.reactivetransfer.fuzz.Target;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bytes of any kind are read as what they say, or refused; nothing else. */
@Timeout(7_200)
class KvCodecFuzzTest {

  private static final List<byte[]> ORIGINALS =
      KvCodecTest.messages().map(message -> KvCodec.encode(message).array()).toList();

  @Test
  void messages() {
    Fuzz.run(Target.KV_MESSAGES, KvCodecFuzzTest::check);
  }

  private static void check(Input in) {
    byte[] original = in.oneOf(ORIGINALS);
    byte[] mutated = Mutation.some(in, original);
    byte[] bytes = in.chance(85) ? sealed(mutated) : mutated;
    in.note(() -> HexFormat.of().formatHex(bytes));
    KvMessage message;
    try {
      message = KvCodec.decode(ByteBuffer.wrap(bytes));
    } catch (KvFormatException e) {
      assertThat(Arrays.equals(bytes, original)).as("refuses what was written: %s", e).isFalse();
      assertThat(e).hasMessageStartingWith("not a KV-cache message: ");
      return;
    }
    if (message instanceof KvMessage.End end) { // its text may have been made fit to be shown
      assertThat(end.text()).doesNotContainPattern("\\p{C}");
      return;
    }
    ByteBuffer again = KvCodec.encode(message);
    if (!again.equals(ByteBuffer.wrap(bytes))) {
      assertThat(again).as("written again").isEqualTo(ByteBuffer.wrap(bytes));
    }
    if (message instanceof KvMessage.Request request) {
      assertThat(request.layout().bytes()).isBetween(1L, request.memory().length());
      assertThat(request.pages().largest()).isLessThan(request.layout().poolPages());
    }
  }

  private static byte[] sealed(byte[] bytes) {
    if (bytes.length < Integer.BYTES) {
      return bytes;
    }
    byte[] sealed = bytes.clone();
    CRC32C checksum = new CRC32C();
    checksum.update(sealed, 0, sealed.length - Integer.BYTES);
    ByteBuffer.wrap(sealed).putInt(sealed.length - Integer.BYTES, (int) checksum.getValue());
    return sealed;
  }
}
