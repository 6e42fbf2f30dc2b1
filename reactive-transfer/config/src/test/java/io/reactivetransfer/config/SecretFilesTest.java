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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Exchanger;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Secrets that are read again. */
class SecretFilesTest {

  private static final Executor THREADS = Thread.ofPlatform().daemon()::start;

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

  /** Health is asked on threads that must not wait. */
  @Test
  void howManyAreValidIsSaidWhileFilesAreRead() throws Exception {
    ClusterSecret old = ClusterSecret.ofFile(file);
    Exchanger<ClusterSecret> disk = new Exchanger<>();
    SecretFiles slow =
        new SecretFiles(ClusterSecrets.of(old, old), () -> old, () -> exchanged(disk, old));
    CompletableFuture<Boolean> reading = CompletableFuture.supplyAsync(slow::readAgain, THREADS);
    disk.exchange(old, 40, TimeUnit.SECONDS);
    assertThat(CompletableFuture.supplyAsync(slow::valid, THREADS).get(40, TimeUnit.SECONDS))
        .isEqualTo(1);
    assertThat(reading).isNotDone();
    disk.exchange(
        ClusterSecret.of("another secret of it".getBytes(StandardCharsets.UTF_8)),
        40,
        TimeUnit.SECONDS);
    assertThat(reading.get(40, TimeUnit.SECONDS)).isTrue();
    assertThat(slow.valid()).isEqualTo(2);
  }

  /** Says that it is asked, and then waits for what it is given. */
  private static ClusterSecret exchanged(Exchanger<ClusterSecret> disk, ClusterSecret old) {
    try {
      disk.exchange(old, 40, TimeUnit.SECONDS);
      return disk.exchange(old, 100, TimeUnit.SECONDS);
    } catch (InterruptedException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
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
