package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.spi.BackendException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NicAddressTest {

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.1", "2001:db8::1", "node-7.example", "x"})
  void comesBackAsItWas(String host) {
    NicAddress address = new NicAddress(host, 65_535);

    assertThat(NicAddress.decode(address.encode())).isEqualTo(address);
  }

  @Test
  void hasAFixedForm() {
    assertThat(HexFormat.of().formatHex(new NicAddress("10.0.0.1", 4_711).encode()))
        .isEqualTo("01126731302e302e302e31");
  }

  @Test
  void readsAsPeopleWriteIt() {
    assertThat(new NicAddress("10.0.0.1", 80)).hasToString("10.0.0.1:80");
    assertThat(new NicAddress("::1", 80)).hasToString("[::1]:80");
  }

  @Test
  void takesLiteralsAsTheyAreAndLeavesNames() {
    assertThat(new NicAddress("10.0.0.1", 80).toSocketAddress().isUnresolved()).isFalse();
    assertThat(new NicAddress("2001:db8::1", 80).toSocketAddress().isUnresolved()).isFalse();
    assertThat(new NicAddress("node", 80).toSocketAddress().isUnresolved()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "01",
        "0150",
        "011267",
        "02126731",
        "01000031",
        "0112670a",
        "011267ff20", // not ASCII
        "0100095b3a3a315d", // [::1]
        "0100095b31302e302e302e315d", // [10.0.0.1]
        "0100095b78" // [x
      })
  void refusesBytesThatAreNone(String hex) {
    assertThatThrownBy(() -> NicAddress.decode(HexFormat.of().parseHex(hex)))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("not the address of a tcp NIC");
  }

  @Test
  void refusesAHostThatIsTooLong() {
    assertThatThrownBy(() -> NicAddress.decode(new NicAddress("x".repeat(254), 1).encode()))
        .isInstanceOf(BackendException.class);
  }
}
