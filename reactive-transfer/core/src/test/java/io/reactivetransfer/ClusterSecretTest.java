package io.reactivetransfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterSecretTest {

  private static final String WORD = "sixteen bytes at least";
  private static final byte[] MESSAGE = {1, 2, 3};

  private static byte[] mac(ClusterSecret secret) {
    return secret.newMac().doFinal(MESSAGE);
  }

  private static ClusterSecret secret(String word) {
    return ClusterSecret.of(word.getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void theSameSecretGivesTheSameCode() {
    assertThat(mac(secret(WORD))).isEqualTo(mac(secret(WORD))).hasSize(32);
    assertThat(mac(secret(WORD))).isNotEqualTo(mac(secret(WORD + ".")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "\r\n", "\n\n"})
  void aFileMayEndItsLine(String end, @TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("secret"), WORD + end);
    assertThat(mac(ClusterSecret.ofFile(file))).isEqualTo(mac(secret(WORD)));
  }

  @Test
  void itMustBeLongEnoughAndNotHuge(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("short"), "fifteen bytes..\n");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClusterSecret.ofFile(file))
        .withMessageContaining("in " + file)
        .withMessageContaining("got 15")
        .withMessageContaining("openssl rand");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClusterSecret.of(new byte[ClusterSecret.MAX_BYTES + 1]));
    Path endless = Path.of("/dev/zero");
    if (Files.exists(endless)) {
      assertThatIllegalArgumentException().isThrownBy(() -> ClusterSecret.ofFile(endless));
    }
  }

  @Test
  void aFileThatIsNotThereIsNamed(@TempDir Path folder) {
    assertThatExceptionOfType(UncheckedIOException.class)
        .isThrownBy(() -> ClusterSecret.ofFile(folder.resolve("nowhere")))
        .withMessageContaining("nowhere");
  }

  @Test
  void itSaysNothingOfItself() {
    assertThat(secret(WORD)).hasToString("ClusterSecret[hidden]");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> secret("short"))
        .withMessageNotContaining("short");
  }
}
