package io.reactivetransfer.tools.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What to do fits what was said. */
class RemedyTest {

  private final Remedy remedy = new Remedy("10.0.0.1", "10.0.0.2");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "origin: peer 10.0.0.2:4700 is lost: cannot connect to 10.0.0.2:4700: Connection refused",
        "origin: no engine can be reached at 10.0.0.2:4700: cannot connect to the engine at"
            + " 10.0.0.2:4700 within 10000 ms",
        "origin: peer P is lost: it was silent for 10000 ms (connectTimeout)",
        "origin: a transfer to P was not done within 60000 ms; 0 of 1 pieces were done; the last"
            + " way there that was lost: that of NIC tcp0: cannot connect to 10.0.0.2:4701: timed"
            + " out",
        "origin: the connection with P broke within the handshake: Connection reset by peer"
      })
  void portsWhereNobodyConnects(String reason) {
    assertThat(remedy.of("tcp", reason))
        .startsWith("let TCP through between 10.0.0.1 and 10.0.0.2")
        .doesNotContain("provider", "MTU");
    assertThat(remedy.of("libfabric", reason)).contains("the same provider");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "origin: a write to P failed: the connection with P broke: Connection timed out",
        "origin: a write to P failed: P ended the connection without a farewell; was it killed?",
        "origin: peer P is lost: it was silent for 30000 ms (livenessDeadline)",
        "origin: peer P is lost: writes were out for 5000 ms (livenessDeadline) after the end of"
            + " their time",
        "origin: a transfer to P was not done within 60000 ms; 0 of 1 pieces were done"
      })
  void theMtuWhereAConnectionWasMadeAndCarriedNothing(String reason) {
    assertThat(remedy.of("tcp", reason)).contains("MTU", "ping -M do").doesNotContain("let TCP");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "target: backend 'libfabric' cannot run here: expected a cluster secret, got none: on"
            + " 10.0.0.2 other machines can connect. Give secret(...); give what is missing",
        "origin: libfabric cannot run here: no library; fix: install it"
      })
  void whatIsMissingOnAHostIsNoFaultOfThePath(String reason) {
    assertThat(remedy.of("libfabric", reason))
        .contains("on that host", "not tried")
        .doesNotContain("let TCP", "MTU");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "origin: it wants a cluster secret and this engine has none",
        "origin: expected a proof of the cluster secret, got one of another secret"
      })
  void theSecretWhereThatDiffers(String reason) {
    assertThat(remedy.of("tcp", reason)).contains("secret").doesNotContain("let TCP", "MTU");
  }

  @Test
  void theMtuWhereShortWritesGoAndLongOnesDoNot() {
    assertThat(remedy.ofLongWrites()).contains("MTU", "ping -M do", "10.0.0.2");
  }
}
