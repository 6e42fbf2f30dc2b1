package io.reactivetransfer.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.PeerUnreachableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.env.EnvironmentEndpoint;
import org.springframework.boot.test.util.TestPropertyValues;

/** Who knows the secret is let in; and while it is renewed, who knows either. */
class SecretsTest {

  private static final String OLD = "the secret of last year";
  private static final String NEW = "the secret of this year";

  @TempDir private Path directory;

  @Test
  void areNotShownByEndpointsThatShowAllElse() {
    try (Node node = Node.overTcp("secret=" + NEW, "previous-secret=" + OLD)) {
      TestPropertyValues.of("REACTIVETRANSFER_ENGINES_OTHER_PREVIOUSSECRET=" + OLD)
          .applyTo(node.context.getEnvironment(), TestPropertyValues.Type.SYSTEM_ENVIRONMENT);
      String shown =
          shown(
              new EnvironmentEndpoint(
                  node.context.getEnvironment(),
                  node.context.getBeanProvider(SanitizingFunction.class),
                  Show.ALWAYS));
      assertThat(shown)
          .contains(
              "reactive-transfer.secret=******",
              "reactive-transfer.previous-secret=******",
              "REACTIVETRANSFER_ENGINES_OTHER_PREVIOUSSECRET=******",
              "reactive-transfer.backend=tcp");
    }
  }

  private static String shown(EnvironmentEndpoint endpoint) {
    return endpoint.environment("(?i)reactive").getPropertySources().stream()
        .flatMap(source -> source.getProperties().entrySet().stream())
        .map(each -> each.getKey() + "=" + each.getValue().getValue())
        .collect(Collectors.joining(", "));
  }

  @Test
  void twoAreValidWhileTheyAreRenewed() throws IOException {
    Path file = Files.writeString(directory.resolve("secret"), NEW + "\n");
    try (Node before = Node.overTcp("secret=" + OLD);
        Node between = Node.overTcp("secret-file=" + file, "previous-secret=" + OLD);
        Node after = Node.overTcp("secret=" + NEW)) {
      assertThat(before.write(between, "one")).isEqualTo("one");
      assertThat(between.write(before, "two")).isEqualTo("two");
      assertThat(between.write(after, "three")).isEqualTo("three");
      assertThat(after.write(between, "four")).isEqualTo("four");
      assertThatThrownBy(() -> before.engine().peer(after.at()).block(Node.PATIENCE))
          .isInstanceOf(PeerUnreachableException.class)
          .hasMessageNotContainingAny(OLD, NEW);
    }
  }
}
