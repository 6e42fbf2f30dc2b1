package io.reactivetransfer.config;

import io.reactivetransfer.control.ListeningBuilder;
import io.reactivetransfer.control.Tls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Encryption by PEM files. */
final class PemFiles implements Encryption {

  private static final String CERTIFICATE = "ssl.certificate";
  private static final String KEY = "ssl.private-key";
  private static final String TRUSTED = "ssl.trusted";
  private static final String MUTUAL = "ssl.mutual";

  @Override
  public List<String> properties() {
    return List.of(CERTIFICATE, KEY, TRUSTED, MUTUAL);
  }

  @Override
  public void encrypt(ListeningBuilder<?> builder, PropertySource from, PropertyCheck check) {
    Path certificate = from.file(CERTIFICATE);
    Path key = from.file(KEY);
    Path trusted = from.file(TRUSTED);
    String mutual = from.text(MUTUAL);
    if (certificate == null && key == null && trusted == null && mutual == null) {
      return;
    }
    Path own = require(CERTIFICATE, certificate, check);
    Path its = require(KEY, key, check);
    Path authority = require(TRUSTED, trusted, check);
    boolean both = mutual == null || from.flag(MUTUAL);
    check.set(
        CERTIFICATE,
        own,
        file ->
            builder.tls(
                both ? Tls.mutual(file, its, authority) : Tls.server(file, its, authority)));
  }

  private static Path require(String property, @Nullable Path file, PropertyCheck check) {
    if (file == null) {
      throw check.refused(
          property,
          "expected a PEM file, since every engine both takes connections and makes them and so"
              + " needs "
              + String.join(", ", CERTIFICATE, KEY, TRUSTED)
              + "; got none",
          null);
    }
    if (!Files.isReadable(file)) {
      throw check.refused(property, "expected a PEM file that can be read, got " + file, null);
    }
    return file;
  }
}
