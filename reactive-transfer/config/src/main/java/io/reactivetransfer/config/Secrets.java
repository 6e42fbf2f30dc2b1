package io.reactivetransfer.config;

import io.reactivetransfer.ClusterSecret;
import java.nio.charset.StandardCharsets;
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
  static Secrets read(PropertySource from, PropertyCheck check) {
    ClusterSecret current = read("secret", from, check);
    ClusterSecret previous = read("previous-secret", from, check);
    if (previous != null && current == null) {
      throw check.refused("previous-secret", "expected a secret beside it, got none", null);
    }
    return new Secrets(current, previous);
  }

  private static @Nullable ClusterSecret read(
      String property, PropertySource from, PropertyCheck check) {
    var text = from.text(property);
    var file = from.file(property + "-file");
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
