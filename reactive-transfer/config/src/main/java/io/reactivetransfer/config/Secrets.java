package io.reactivetransfer.config;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.ClusterSecrets;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The secrets that an engine proves, as its properties say.
 *
 * @param valid the one that all engines know, and one that is valid, too, while that is renewed; or
 *     null for none
 * @param files by which they can be read again, or null if none came from a file
 */
record Secrets(@Nullable ClusterSecrets valid, @Nullable SecretFiles files) {

  /** One of them, and the file that it came from. */
  private record Read(ClusterSecret secret, @Nullable Path file) {
    ClusterSecret again() {
      return file == null ? secret : ClusterSecret.ofFile(file);
    }
  }

  /**
   * Reads them. Blocks while it reads files.
   *
   * @throws EngineConfigurationException if one is too short, cannot be read, or is given twice
   */
  static Secrets read(PropertySource from, PropertyCheck check) {
    Read current = read("secret", from, check);
    Read previous = read("previous-secret", from, check);
    if (current == null) {
      if (previous != null) {
        throw check.refused("previous-secret", "expected a secret beside it, got none", null);
      }
      return new Secrets(null, null);
    }
    if (previous == null) {
      return of(ClusterSecrets.of(current.secret()), current, null);
    }
    return of(ClusterSecrets.of(current.secret(), previous.secret()), current, previous);
  }

  private static Secrets of(ClusterSecrets valid, Read current, @Nullable Read previous) {
    Supplier<@Nullable ClusterSecret> second = () -> previous == null ? null : previous.again();
    boolean areOfFiles = current.file() != null || (previous != null && previous.file() != null);
    return new Secrets(valid, areOfFiles ? new SecretFiles(valid, current::again, second) : null);
  }

  private static @Nullable Read read(String property, PropertySource from, PropertyCheck check) {
    String text = from.text(property);
    Path file = from.file(property + "-file");
    if (text != null && file != null) {
      throw check.refused(property, "expected it or " + property + "-file, got both", null);
    }
    Read[] read = new Read[1];
    check.set(
        property,
        text,
        given ->
            read[0] = new Read(ClusterSecret.of(given.getBytes(StandardCharsets.UTF_8)), null));
    check.set(
        property + "-file", file, given -> read[0] = new Read(ClusterSecret.ofFile(given), given));
    return read[0];
  }
}
