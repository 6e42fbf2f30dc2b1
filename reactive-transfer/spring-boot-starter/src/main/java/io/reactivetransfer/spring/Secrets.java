package io.reactivetransfer.spring;

import io.reactivetransfer.ClusterSecret;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The secrets that an engine proves, as its properties say.
 *
 * @param current the one that all engines know, or null for none
 * @param previous one that is valid, too, while the secret is renewed, or null for none
 */
record Secrets(@Nullable ClusterSecret current, @Nullable ClusterSecret previous) {

  /**
   * Reads them. Blocks while it reads files.
   *
   * @throws EngineConfigurationException if one is too short, cannot be read, or is given twice
   */
  static Secrets of(EngineProperties from, PropertyCheck check) {
    ClusterSecret current = of("secret", from.getSecret(), from.getSecretFile(), check);
    ClusterSecret previous =
        of("previous-secret", from.getPreviousSecret(), from.getPreviousSecretFile(), check);
    if (previous != null && current == null) {
      throw check.refused("previous-secret", "expected a secret beside it, got none", null);
    }
    return new Secrets(current, previous);
  }

  private static @Nullable ClusterSecret of(
      String property, @Nullable String text, @Nullable Path file, PropertyCheck check) {
    if (text != null && file != null) {
      throw check.refused(property, "expected it or " + property + "-file, got both", null);
    }
    ClusterSecret[] secret = new ClusterSecret[1];
    check.set(
        property,
        text,
        given -> secret[0] = ClusterSecret.of(given.getBytes(StandardCharsets.UTF_8)));
    check.set(property + "-file", file, given -> secret[0] = ClusterSecret.ofFile(given));
    return secret[0];
  }
}
