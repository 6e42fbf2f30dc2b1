package io.reactivetransfer.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.ClusterSecrets;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Secrets that are read again. */
class SecretFilesTest {

  @TempDir private Path directory;
  private Path file;
  private ClusterSecrets secrets;
  private SecretFiles files;

  @BeforeEach
  void read() throws IOException {
    file = Files.writeString(directory.resolve("secret"), "the old secret of the cluster\n");
    secrets = ClusterSecrets.of(ClusterSecret.ofFile(file));
    files = new SecretFiles(secrets, () -> ClusterSecret.ofFile(file), () -> null);
  }

  @Test
  void whatIsTheSameIsNotRenewed() throws IOException {
    List<ClusterSecret> before = secrets.valid();
    assertThat(files.readAgain()).isFalse();
    Files.writeString(file, "the old secret of the cluster"); // the line's end does not count
    assertThat(files.readAgain()).isFalse();
    assertThat(secrets.valid()).isSameAs(before);
  }

  @Test
  void anotherOneIs() throws IOException {
    ClusterSecret before = secrets.valid().getFirst();
    Files.writeString(file, "the new secret of the cluster");
    assertThat(files.readAgain()).isTrue();
    assertThat(secrets.valid()).hasSize(1).doesNotContain(before);
    assertThat(files.readAgain()).isFalse();
  }

  @Test
  void oneThatIsValidTwiceIsOne() {
    ClusterSecret old = ClusterSecret.ofFile(file);
    ClusterSecret same = ClusterSecret.ofFile(file);
    ClusterSecret other = ClusterSecret.of("another secret of it".getBytes(StandardCharsets.UTF_8));
    assertThat(files.valid()).isEqualTo(1);
    assertThat(new SecretFiles(ClusterSecrets.of(old, same), () -> old, () -> same).valid())
        .isEqualTo(1);
    assertThat(new SecretFiles(ClusterSecrets.of(old, other), () -> old, () -> other).valid())
        .isEqualTo(2);
  }

  @Test
  void whatCannotBeReadIsSaidAndChangesNothing() throws IOException {
    List<ClusterSecret> before = secrets.valid();
    Files.writeString(file, "short");
    assertThatThrownBy(files::readAgain)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("16 to 4096 bytes");
    Files.delete(file);
    assertThatThrownBy(files::readAgain).isInstanceOf(UncheckedIOException.class);
    assertThat(secrets.valid()).isSameAs(before);
  }
}
