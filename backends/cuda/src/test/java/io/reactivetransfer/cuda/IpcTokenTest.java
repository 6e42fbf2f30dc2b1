package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class IpcTokenTest {

  private static final byte[] UUID = numbers(16, 0x10);
  private static final byte[] HANDLE = numbers(64, 0x40);
  private static final Exporter EXPORTER = new Exporter(0x0607, 0x0809, 0x0a0b0c);

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
    assertThat(
            HexFormat.of()
                .formatHex(new IpcToken(UUID, 0x0102, 0x030405, HANDLE, EXPORTER).encode()))
        .isEqualTo(
            "52544302"
                + "101112131415161718191a1b1c1d1e1f"
                + "0000000000000102"
                + "0000000000030405"
                + HexFormat.of().formatHex(HANDLE)
                + "0000000000000607"
                + "0000000000000809"
                + "00000000000a0b0c");
  }

  @Test
  void comesBackAsItWas() {
    IpcToken back = IpcToken.decode(new IpcToken(UUID, 7, 1L << 40, HANDLE, EXPORTER).encode());
    assertThat(back.uuid()).isEqualTo(UUID);
    assertThat(back.offset()).isEqualTo(7);
    assertThat(back.length()).isEqualTo(1L << 40);
    assertThat(back.handle()).isEqualTo(HANDLE);
    assertThat(back.exporter()).isEqualTo(EXPORTER);
  }

  /** As the first version gave them, which was shorter, and as a later one may. */
  @Test
  void saysThatTheOtherProcessHasAnotherVersion() {
    byte[] bytes = new IpcToken(UUID, 7, 9, HANDLE, EXPORTER).encode();
    for (byte version : new byte[] {1, 3}) {
      byte[] other = Arrays.copyOf(bytes, version == 1 ? 100 : 200);
      other[3] = version;
      assertThatThrownBy(() -> IpcToken.decode(other))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("expected what CudaIpc.export gives in version 2")
          .hasMessageContaining("got version " + version)
          .hasMessageContaining("have both processes use one version");
    }
  }

  @Test
  void refusesRangesThatCannotBe() {
    for (long[] range : new long[][] {{-1, 5}, {0, 0}, {0, -1}, {Long.MAX_VALUE, 1}}) {
      byte[] bytes = new IpcToken(UUID, range[0], range[1], HANDLE, EXPORTER).encode();
      assertThatThrownBy(() -> IpcToken.decode(bytes))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(Long.toString(range[1]))
          .hasMessageContaining(Long.toString(range[0]));
    }
  }
}
