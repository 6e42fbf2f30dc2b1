package io.reactivetransfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where an engine is reached, as people write it. */
class HostPortTest {

  @ParameterizedTest
  @CsvSource({
    "decode-3:7400, decode-3, 7400",
    "10.0.0.7:1, 10.0.0.7, 1",
    "[fd00::7]:65535, fd00::7, 65535",
    "[::]:80, ::, 80",
    "[fe80::1%eth0]:80, fe80::1%eth0, 80"
  })
  void isReadAndWrittenAlike(String text, String host, int port) {
    HostPort read = HostPort.parse(text);
    assertThat(read).isEqualTo(new HostPort(host, port)).hasToString(text);
    assertThat(read.host()).isEqualTo(host);
    assertThat(read.port()).isEqualTo(port);
  }

  @Test
  void bracketsThatAreNotNeededAreDropped() {
    assertThat(HostPort.parse("[decode-3]:7400")).hasToString("decode-3:7400");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ":",
        "decode-3",
        "decode-3:",
        ":7400",
        "[]:7400",
        "fd00::7:7400",
        "[fd00::7]",
        "[fd00::7:7400",
        "fd00::7]:7400",
        "[[fd00::7]]:7400",
        "decode-3:0",
        "decode-3:65536",
        "decode-3:-1",
        "decode-3:+1",
        "decode-3:\u0661",
        "decode-3: 1",
        "decode-3:1 ",
        "decode-3:99999999999",
        "decode-3:http",
        "decode 3:7400",
        "d\u00e9code:7400",
        "decode\n3:7400",
        "http://decode-3:7400"
      })
  void refusesWhatIsNone(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HostPort.parse(text))
        .withMessageStartingWith("expected ")
        .withMessageMatching("[\\x20-\\x7e]+");
  }

  @Test
  void theLongestHostIsTakenAndNoLonger() {
    assertThat(HostPort.parse("h".repeat(255) + ":1").host()).hasSize(255);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new HostPort("h".repeat(256), 1))
        .withMessageContaining("1 to 255")
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(200));
  }

  @Test
  void anErrorShowsWhatCameWithoutSteeringTheTerminal() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HostPort.parse("\u001b[2J\u202e:1"))
        .withMessageContaining("'?[2J?")
        .withMessageMatching("[\\x20-\\x7e]+");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new HostPort("decode-3", 0))
        .withMessageContaining("'decode-3', got 0");
  }
}
