package io.reactivetransfer.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.ClusterSecrets;
import io.reactivetransfer.control.TestEngine.Driver;
import io.reactivetransfer.control.TestEngine.Found;
import io.reactivetransfer.spi.EngineIdentity;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Secrets that are renewed while engines are open. */
class RenewalTest {

  private static final ClusterSecret OLD = secret("the old secret of the cluster");
  private static final ClusterSecret NEW = secret("the new secret of the cluster");

  private final ClusterSecrets secrets = ClusterSecrets.of(OLD);

  private static ClusterSecret secret(String text) {
    return ClusterSecret.of(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static TestEngine engine(Driver driver, ClusterSecrets secrets) {
    return new TestEngine(driver, NettyControl.builder().secrets(secrets).build());
  }

  /** Whichever of the two dials. */
  private static void requireMet(TestEngine one, Driver driver, ClusterSecret others) {
    try (TestEngine dialled = engine(driver, ClusterSecrets.of(others));
        TestEngine dialling = engine(driver, ClusterSecrets.of(others))) {
      one.meet(dialled);
      dialling.meet(one);
    }
  }

  private static void requireRefused(TestEngine one, Driver driver, ClusterSecret others) {
    try (TestEngine other = engine(driver, ClusterSecrets.of(others))) {
      other.find(1, one.address);
      other.awaitUntil(() -> !other.notFound.isEmpty());
      assertThat(other.notFound.element().text()).contains("got one of another secret");
      one.find(2, other.address);
      one.awaitUntil(() -> !one.notFound.isEmpty());
      assertThat(one.notFound.remove().text()).contains("got one of another secret");
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatIsValidCountsForConnectionsThatBegin(Driver driver) {
    try (TestEngine one = engine(driver, secrets)) {
      requireMet(one, driver, OLD);
      requireRefused(one, driver, NEW);
      secrets.renew(NEW, OLD);
      requireMet(one, driver, OLD);
      requireMet(one, driver, NEW);
      secrets.renew(NEW, null);
      requireMet(one, driver, NEW);
      requireRefused(one, driver, OLD);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aSessionThatStandsGoesOn(Driver driver) {
    try (TestEngine one = engine(driver, secrets);
        TestEngine two = engine(driver, ClusterSecrets.of(OLD))) {
      one.find(1, two.address);
      one.awaitUntil(() -> one.found.contains(new Found(1, two.id())));
      secrets.renew(NEW, null);
      one.send(two, "hello");
      two.awaitMessage(one.id(), "hello");
      assertThat(one.lost).isEmpty();
      assertThat(two.lost).isEmpty();
    }
  }

  /** Whoever has begun with one ends with it, and does not mix two. */
  @Test
  void aHandshakeEndsWithWhatItHasBegunWith() {
    Credentials credentials = new Credentials(EngineIdentity.draw(), secrets::valid);
    ProvenSecrets before = credentials.secrets();
    byte[] hash = new byte[32];
    byte[] code = before.code(0, "label", hash);
    secrets.renew(NEW, null);
    assertThat(before.secretOf(code, "label", hash)).isZero();
    assertThat(credentials.secrets()).isNotSameAs(before).isSameAs(credentials.secrets());
    assertThat(credentials.secrets().secretOf(code, "label", hash)).isEqualTo(-1);
  }

  @Test
  void oneThatIsMissingIsRefused() {
    assertThatThrownBy(() -> secrets.renew(null, OLD)).hasMessage("current");
    assertThatThrownBy(() -> ClusterSecrets.of(OLD, null)).hasMessage("previous");
    assertThat(secrets.valid()).isEqualTo(List.of(OLD));
    assertThat(secrets).hasToString("ClusterSecrets[hidden]");
  }
}
