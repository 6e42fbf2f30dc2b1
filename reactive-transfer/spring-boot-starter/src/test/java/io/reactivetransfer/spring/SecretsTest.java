package io.reactivetransfer.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.PeerUnreachableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who knows the secret is let in; and while it is renewed, who knows either. */
class SecretsTest {

  private static final String OLD = "the secret of last year";
  private static final String NEW = "the secret of this year";

  @TempDir private Path directory;

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
