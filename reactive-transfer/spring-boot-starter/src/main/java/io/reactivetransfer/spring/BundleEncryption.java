package io.reactivetransfer.spring;

import io.reactivetransfer.config.Encryption;
import io.reactivetransfer.config.PropertyCheck;
import io.reactivetransfer.config.PropertySource;
import io.reactivetransfer.control.ListeningBuilder;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundles;

/** Encryption by an SSL bundle of the application. */
final class BundleEncryption implements Encryption {

  private static final String BUNDLE = "ssl.bundle";
  private static final String MUTUAL = "ssl.mutual";

  private final @Nullable SslBundles bundles;
  private final Consumer<Supplier<Map<String, Object>>> details;

  /**
   * By bundles of an application.
   *
   * @param details is given what says which state of its bundle an engine has
   */
  BundleEncryption(@Nullable SslBundles bundles, Consumer<Supplier<Map<String, Object>>> details) {
    this.bundles = bundles;
    this.details = details;
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
        name -> builder.tls(BundleTls.of(name, bundles, from.flag(MUTUAL), details)));
  }
}
