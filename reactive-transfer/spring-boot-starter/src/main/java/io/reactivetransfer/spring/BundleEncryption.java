package io.reactivetransfer.spring;

import io.reactivetransfer.config.Encryption;
import io.reactivetransfer.config.PropertyCheck;
import io.reactivetransfer.config.PropertySource;
import io.reactivetransfer.control.ListeningBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundles;

/** Encryption by an SSL bundle of the application. */
final class BundleEncryption implements Encryption {

  private static final String BUNDLE = "ssl.bundle";
  private static final String MUTUAL = "ssl.mutual";

  private final @Nullable SslBundles bundles;

  BundleEncryption(@Nullable SslBundles bundles) {
    this.bundles = bundles;
  }

  @Override
  public List<String> properties() {
    return List.of(BUNDLE, MUTUAL);
  }

  @Override
  public void encrypt(ListeningBuilder<?> builder, PropertySource from, PropertyCheck check) {
    check.set(
        BUNDLE,
        from.text(BUNDLE),
        name -> builder.tls(BundleTls.of(name, bundles, from.flag(MUTUAL))));
  }
}
