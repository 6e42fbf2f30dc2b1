package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class IpcTokenTest {

  private static final byte[] UUID = numbers(16, 0x10);
  private static final byte[] HANDLE = numbers(64, 0x40);

  private static byte[] numbers(int count, int first) {
    byte[] bytes = new byte[count];
    for (int i = 0; i < count; i++) {
      bytes[i] = (byte) (first + i);
    }
    return bytes;
  }

  /** Other processes may run another version, so these bytes stay what they are. */
  @Test
  void hasTheBytesThatItSays() {
    assertThat(HexFormat.of().formatHex(new IpcToken(UUID, 0x0102, 0x030405, HANDLE).encode()))
        .isEqualTo(
            "52544301"
                + "101112131415161718191a1b1c1d1e1f"
                + "0000000000000102"
                + "0000000000030405"
                + HexFormat.of().formatHex(HANDLE));
  }

  @Test
  void comesBackAsItWas() {
    IpcToken back = IpcToken.decode(new IpcToken(UUID, 7, 1L << 40, HANDLE).encode());
    assertThat(back.uuid()).isEqualTo(UUID);
    assertThat(back.offset()).isEqualTo(7);
    assertThat(back.length()).isEqualTo(1L << 40);
    assertThat(back.handle()).isEqualTo(HANDLE);
  }

  @Test
  void refusesRangesThatCannotBe() {
    for (long[] range : new long[][] {{-1, 5}, {0, 0}, {0, -1}, {Long.MAX_VALUE, 1}}) {
      byte[] bytes = new IpcToken(UUID, range[0], range[1], HANDLE).encode();
      assertThatThrownBy(() -> IpcToken.decode(bytes))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(Long.toString(range[1]))
          .hasMessageContaining(Long.toString(range[0]));
    }
  }
}
