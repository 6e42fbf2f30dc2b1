package io.reactivetransfer.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.control.Tls;
import io.reactivetransfer.fuzz.TestPki;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Connections are encrypted by an SSL bundle; who has another authority gets none. */
class TlsTest {

  private static final TestPki OURS = new TestPki();
  private static final TestPki OTHERS = new TestPki();
  private static final String BUNDLE = "spring.ssl.bundle.pem.engines.";

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  SslAutoConfiguration.class, ReactiveTransferAutoConfiguration.class))
          .withPropertyValues(
              "reactive-transfer.backend=tcp", "reactive-transfer.ssl.bundle=engines");

  @TempDir private Path directory;

  /** With files of its own, which may be replaced. */
  private Node node(String name, TestPki authority, String... more) throws IOException {
    Path files = Files.createDirectory(directory.resolve(name));
    put(files, authority.filesFor("127.0.0.1"));
    List<String> properties =
        List.of(
            "reactive-transfer.backend=tcp",
            "reactive-transfer.nics=1",
            "reactive-transfer.ssl.bundle=engines",
            "spring.ssl.bundle.watch.file.quiet-period=100ms",
            BUNDLE + "reload-on-update=true",
            BUNDLE + "keystore.certificate=" + files.resolve("node.pem"),
            BUNDLE + "keystore.private-key=" + files.resolve("node.key"),
            BUNDLE + "truststore.certificate=" + files.resolve("ca.pem"));
    return Node.start(
        Node.Application.class,
        Stream.concat(properties.stream(), Stream.of(more)).toArray(String[]::new));
  }

  private static void put(Path files, TestPki.Files made) throws IOException {
    replace(made.trusted(), files.resolve("ca.pem"));
    replace(made.key(), files.resolve("node.key"));
    replace(made.certificates(), files.resolve("node.pem"));
  }

  private static void replace(Path from, Path to) throws IOException {
    Path beside = to.resolveSibling("new");
    Files.copy(from, beside);
    Files.move(beside, to, StandardCopyOption.ATOMIC_MOVE);
  }

  private static void reach(Node from, Node to) {
    from.engine().peer(to.at()).block(Node.PATIENCE);
  }

  @Test
  void bothEndsShowTheirCertificatesAndWhoShowsNoneIsRefusedWhereOneIsWanted() throws IOException {
    try (Node origin = node("origin", OURS);
        Node target = node("target", OURS);
        Node stranger = node("stranger", OTHERS);
        Node silent = node("silent", OURS, "reactive-transfer.ssl.mutual=false");
        Node plain = Node.overTcp()) {
      assertThat(origin.write(target, "hello")).isEqualTo("hello");
      assertThatThrownBy(() -> reach(stranger, target))
          .isInstanceOf(PeerUnreachableException.class)
          .hasMessageContaining("TLS");
      assertThatThrownBy(() -> reach(plain, target)).isInstanceOf(PeerUnreachableException.class);
      assertThatThrownBy(() -> reach(silent, target))
          .isInstanceOf(PeerUnreachableException.class)
          .hasMessageContaining("TLS");
      reach(target, silent);
    }
  }

  @Test
  void filesThatAreReplacedCountForConnectionsThatBegin() throws IOException {
    try (Node target = node("target", OURS);
        Node later = node("later", OTHERS)) {
      assertThatThrownBy(() -> reach(later, target)).isInstanceOf(PeerUnreachableException.class);
      put(directory.resolve("target"), OTHERS.filesFor("127.0.0.1"));
      await()
          .atMost(Node.PATIENCE)
          .ignoreExceptionsInstanceOf(PeerUnreachableException.class)
          .untilAsserted(() -> reach(later, target));
      assertThat(later.write(target, "hello")).isEqualTo("hello");
    }
  }

  // In a usual build a start fails so by the properties of config, and CertifiedKeyTest of control
  // has all kinds of keys.
  @Tag("nightly")
  @Test
  void aKeyOfAnotherCertificateFailsTheStart() {
    TestPki.Files own = OURS.filesFor("127.0.0.1");
    TestPki.Files other = OURS.filesFor("127.0.0.1");
    runner(own, own.key()).run(context -> assertThat(context).hasNotFailed());
    runner(own, other.key())
        .run(context ->
            assertThat(RefusedPropertiesTest.analysis(context.getStartupFailure()).getDescription())
                .startsWith("The property reactive-transfer.ssl.bundle is refused: ")
                .contains("'engines'", "is that of another key"));
  }

  private ApplicationContextRunner runner(TestPki.Files files, Path key) {
    return runner.withPropertyValues(
        BUNDLE + "keystore.certificate=" + files.certificates(),
        BUNDLE + "keystore.private-key=" + key,
        BUNDLE + "truststore.certificate=" + files.trusted());
  }

  /** Before the first handshake finds it, and until both files belong together again. */
  @Test
  void aKeyOfAnotherCertificateIsRefusedAndTheOldOneStays() throws Exception {
    try (Node target = node("target", OURS);
        Node origin = node("origin", OURS)) {
      Map<String, Object> before = Details.of(target, "tls");
      assertThat(before)
          .containsEntry("bundle", "engines")
          .containsEntry("renewals", 0)
          .containsEntry("trustedCount", 1)
          .containsEntry("trusted", List.of(fingerprint(directory.resolve("target/ca.pem"))))
          .containsEntry("certificates", List.of(fingerprint(directory.resolve("target/node.pem"))))
          .containsKeys("expires", "since");
      TestPki.Files next = OURS.filesFor("127.0.0.1");
      replace(next.key(), directory.resolve("target/node.key"));
      await().atMost(Node.PATIENCE).until(() -> Details.of(target, "tls").containsKey("refused"));
      assertThat(Details.of(target, "tls"))
          .containsEntry("renewals", 0)
          .containsEntry("certificates", before.get("certificates"));
      assertThat(Details.of(target, "tls").get("refused")).asString().contains("of another key");
      target.awaitUp();
      assertThat(origin.write(target, "hello")).isEqualTo("hello");
      replace(next.certificates(), directory.resolve("target/node.pem"));
      await()
          .atMost(Node.PATIENCE)
          .until(() -> Integer.valueOf(1).equals(Details.of(target, "tls").get("renewals")));
      assertThat(Details.of(target, "tls"))
          .doesNotContainKey("refused")
          .containsEntry("certificates", List.of(fingerprint(next.certificates())));
      try (Node late = node("late", OURS)) {
        assertThat(late.write(target, "hello")).isEqualTo("hello");
      }
    }
  }

  private static String fingerprint(Path certificates) throws Exception {
    byte[] first = certificate(certificates).getEncoded();
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(first);
    return HexFormat.of().formatHex(digest).substring(0, 8);
  }

  private static Certificate certificate(Path certificates) throws Exception {
    try (InputStream in = Files.newInputStream(certificates)) {
      return CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }

  @Test
  void authoritiesAreCountedAndTheFirstOfThemShown() throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    Path ours = OURS.filesFor("127.0.0.1").trusted();
    Path others = OTHERS.filesFor("127.0.0.1").trusted();
    trusted.setCertificateEntry("ours", certificate(ours));
    trusted.setCertificateEntry("others", certificate(others));
    assertThat(shown(trusted))
        .containsEntry("trustedCount", 2)
        .containsEntry(
            "trusted", Stream.of(fingerprint(ours), fingerprint(others)).sorted().toList());
    for (int i = 2; i < 17; i++) {
      trusted.setCertificateEntry("more " + i, certificate(ours));
    }
    assertThat(shown(trusted)).containsEntry("trustedCount", 17);
    assertThat(shown(trusted).get("trusted")).asInstanceOf(LIST).hasSize(16);
  }

  private static Map<String, Object> shown(KeyStore trusted) throws Exception {
    return BundleDetails.of(SslBundle.of(SslStoreBundle.of(null, null, trusted))).shown();
  }

  /** A file whose time has changed is enough for an update. */
  @Test
  void theSameOnceMoreIsNoRenewal() {
    SslBundle first = bundle(new AtomicInteger());
    var bundles = new DefaultSslBundleRegistry("engines", first);
    AtomicReference<Supplier<Map<String, Object>>> details = new AtomicReference<>();
    assertThat(BundleTls.of("engines", bundles, true, details::set)).isNotNull();
    Map<String, Object> before = details.get().get();
    bundles.updateBundle("engines", first);
    assertThat(details.get().get()).isEqualTo(before).containsEntry("renewals", 0);
    bundles.updateBundle("engines", bundle(new AtomicInteger()));
    assertThat(details.get().get()).containsEntry("renewals", 1);
  }

  /** With public authorities instead, the certificate of the origin would be refused. */
  @Test
  void anUpdateWithoutWhomToTrustIsRefused() throws IOException {
    try (Node target = node("target", OURS);
        Node origin = node("origin", OURS)) {
      DefaultSslBundleRegistry bundles = target.context.getBean(DefaultSslBundleRegistry.class);
      KeyStore keys = bundles.getBundle("engines").getStores().getKeyStore();
      bundles.updateBundle("engines", SslBundle.of(SslStoreBundle.of(keys, null, null)));
      assertThat(origin.write(target, "hello")).isEqualTo("hello");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "keystore.certificate, keystore.private-key | without truststore",
        "truststore.certificate | without keystore",
        "keystore.certificate, truststore.certificate | without a key in its keystore",
        "no-such-file | of which no context can be made: Unable to create key store",
      })
  void aBundleThatIsNotWholeIsRefused(String parts, String reason) {
    TestPki.Files files = OURS.filesFor("127.0.0.1");
    Map<String, Object> all =
        Map.of(
            "keystore.certificate", files.certificates(),
            "keystore.private-key", files.key(),
            "truststore.certificate", files.trusted());
    ApplicationContextRunner runner = this.runner;
    for (String part : parts.split(", ")) {
      runner =
          all.containsKey(part)
              ? runner.withPropertyValues(BUNDLE + part + "=" + all.get(part))
              : runner.withPropertyValues(BUNDLE + "keystore.certificate=/no/such/file.pem");
    }
    runner.run(context ->
        assertThat(RefusedPropertiesTest.analysis(context.getStartupFailure()).getDescription())
            .startsWith("The property reactive-transfer.ssl.bundle is refused: ")
            .contains("'engines'", reason));
  }

  /** Counts how often it is read. */
  private static SslBundle bundle(AtomicInteger reads) {
    TestPki.Files files = OURS.filesFor("127.0.0.1");
    SslStoreBundle stores =
        new PemSslStoreBundle(
            new PemSslStoreDetails(null, at(files.certificates()), at(files.key())),
            PemSslStoreDetails.forCertificate(at(files.trusted())));
    return SslBundle.of(
        new SslStoreBundle() {
          @Override
          public KeyStore getKeyStore() {
            reads.incrementAndGet();
            return stores.getKeyStore();
          }

          @Override
          public String getKeyStorePassword() {
            return null;
          }

          @Override
          public KeyStore getTrustStore() {
            return stores.getTrustStore();
          }
        });
  }

  private static String at(Path file) {
    return file.toUri().toString();
  }

  @Test
  void anUpdateThatComesWhileABundleIsReadIsNotMissed() {
    AtomicInteger reads = new AtomicInteger();
    SslBundle later = bundle(reads);
    SslBundles bundles =
        new DefaultSslBundleRegistry("engines", bundle(new AtomicInteger())) {
          @Override
          public void addBundleUpdateHandler(String name, Consumer<SslBundle> handler) {
            updateBundle(name, later);
            super.addBundleUpdateHandler(name, handler);
          }
        };
    assertThat(BundleTls.of("engines", bundles, true, _ -> {})).isNotNull();
    assertThat(reads).hasPositiveValue();
  }

  @Test
  void bundlesKeepNothingOfEnginesThatAreGone() {
    var bundles = new DefaultSslBundleRegistry("engines", bundle(new AtomicInteger()));
    Tls tls = BundleTls.of("engines", bundles, true, _ -> {});
    AtomicInteger reads = new AtomicInteger();
    bundles.updateBundle("engines", bundle(reads));
    assertThat(reads).hasPositiveValue();
    assertThat(tls).isNotNull();
    tls = null;
    await()
        .atMost(Node.PATIENCE)
        .until(() -> {
          System.gc();
          int before = reads.get();
          bundles.updateBundle("engines", bundle(reads));
          return reads.get() == before;
        });
  }

  @Test
  void aBundleThatThereIsNotIsNamed() {
    runner.run(context ->
        assertThat(context.getStartupFailure())
            .hasStackTraceContaining(
                "reactive-transfer.ssl.bundle: expected the name of an SSL bundle, got"
                    + " 'engines'; there are []"));
  }
}
