package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;
import io.reactivetransfer.fuzz.Target;
import io.reactivetransfer.spi.BackendException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What stands for a tcp NIC, and for its memory, within the descriptors of the engine. */
@Timeout(7_200)
class NicAddressFuzzTest {

  private static final List<String> HOSTS =
      List.of(
          "10.0.0.1",
          "2001:db8::1",
          "::ffff:1.2.3.4",
          "fe80::1%eth0",
          "node-7.example",
          "x",
          "h".repeat(253));

  @Test
  void addressesAndKeys() {
    Fuzz.run(
        Target.TCP_NAMES,
        in -> {
          if (in.chance(90)) {
            address(in);
          } else {
            key(in);
          }
        });
  }

  private static void address(Input in) {
    byte[] whole = new NicAddress(in.oneOf(HOSTS), in.between(1, 65_535)).encode();
    byte[] bytes = in.chance(2) ? whole : Mutation.some(in, whole);
    in.note(() -> HexFormat.of().formatHex(bytes));
    NicAddress address;
    try {
      address = NicAddress.decode(bytes);
    } catch (BackendException e) {
      assertThat(Arrays.equals(bytes, whole)).as("refuses what was written: %s", e).isFalse();
      assertThat(e).hasMessageContaining("expected");
      return;
    }
    assertThat(address.encode()).isEqualTo(bytes);
    assertThat(address.toSocketAddress().getPort()).isEqualTo(address.port());
    assertThat(address.toString()).matches("\\p{Graph}+").doesNotContain("[[", "]]");
  }

  private static void key(Input in) {
    byte[] bytes = Mutation.some(in, in.bytes(MemoryKey.BYTES));
    in.note(() -> HexFormat.of().formatHex(bytes));
    try {
      MemoryKey key = MemoryKey.decode(bytes);
      assertThat(key.encode()).isEqualTo(bytes);
      assertThat(key.toString()).doesNotContain(HexFormat.of().formatHex(bytes, 0, 4));
    } catch (BackendException e) {
      assertThat(bytes.length).isNotEqualTo(MemoryKey.BYTES);
    }
  }
}
