package io.reactivetransfer.tools.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostPortTest {

  @ParameterizedTest
  @CsvSource({"decode-3:7400,decode-3,7400", "10.0.0.7:0,10.0.0.7,0", "[::1]:65535,::1,65535"})
  void readsAndSaysTheSame(String text, String host, int port) {
    HostPort read = HostPort.of("--listen", text);
    assertThat(read).isEqualTo(new HostPort(host, port)).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "host", ":7400", "host:", "host:x", "host:65536", "::1:7400", "a b:1"})
  void namesTheOptionOfAnythingElse(String text) {
    assertThatThrownBy(() -> HostPort.of("--listen", text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected --listen HOST:PORT")
        .hasMessageEndingWith("got " + text);
  }
}
