package io.reactivetransfer.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.handler.ssl.JdkSslContext;
import io.reactivetransfer.control.TestEngine.Driver;
import io.reactivetransfer.fuzz.TestPki;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.PBEParameterSpec;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is encrypted arrives as it was; and who is not trusted gets no session, and a reason. */
class TlsTest {

  private static final TestPki PKI = new TestPki();

  private static TestEngine engine(Driver driver, @Nullable Tls tls) {
    NettyControl.Builder builder = NettyControl.builder();
    return new TestEngine(driver, tls == null ? builder.build() : builder.tls(tls).build());
  }

  @ParameterizedTest
  @EnumSource
  void messagesArrive(Driver driver) {
    try (TestEngine one = engine(driver, PKI.here(Tls::mutual));
        TestEngine two = engine(driver, PKI.here(Tls::mutual))) {
      one.meet(two);
      one.send(two.id(), two.address, new byte[TestEngine.MAX_MESSAGE_BYTES]);
      two.awaitUntil(() -> !two.messages.isEmpty());
      assertThat(two.messages.element().text()).hasSize(TestEngine.MAX_MESSAGE_BYTES);
    }
  }

  @Test
  void aStrangersCertificateIsRefused() {
    lost(
        PKI.here(Tls::server),
        new TestPki().here(Tls::server),
        "no TLS with",
        "certification path");
  }

  @Test
  void aCertificateForAnotherHostIsRefused() {
    TestPki.Files elsewhere = PKI.filesFor("10.1.2.3");
    Tls tls = Tls.server(elsewhere.certificates(), elsewhere.key(), elsewhere.trusted());
    lost(PKI.here(Tls::server), tls, "no TLS with", "127.0.0.1");
  }

  /** Under TLS 1.3 the dialling side has ended its handshake before it is refused. */
  @Test
  void whoShowsNoCertificateIsToldSo() {
    lost(PKI.here(Tls::server), PKI.here(Tls::mutual), "no TLS with", "certificate");
  }

  @Test
  void oneThatDoesNotEncryptIsToldSo() {
    lost(null, PKI.here(Tls::server), "does one side use TLS and the other not");
    lost(PKI.here(Tls::server), null, "does not use TLS");
  }

  private static void lost(@Nullable Tls ofOne, @Nullable Tls ofTwo, String... text) {
    try (TestEngine one = engine(Driver.LOOP, ofOne);
        TestEngine two = engine(Driver.LOOP, ofTwo)) {
      one.send(two, "never");
      assertThat(one.awaitLost().text()).contains(text);
      one.forgetWaiting();
      assertThat(two.log).isEmpty();
    }
  }

  /**
   * Someone who has a certificate of an engine, and its key, ends TLS in the middle: even under the
   * very certificate of the engine that was dialled, and under an address that this one knows.
   */
  @Test
  void whoEndsTlsInTheMiddleGetsNoSession() {
    TestPki.Files files = PKI.filesFor("127.0.0.1");
    Tls tls = Tls.server(files.certificates(), files.key(), files.trusted());
    SSLContext server = ((JdkSslContext) tls.server()).context();
    SSLContext client = ((JdkSslContext) tls.client()).context();
    int port = FreePort.onLoopback().port();
    NettyControl control =
        NettyControl.builder()
            .tls(tls)
            .alsoKnownAs(new io.reactivetransfer.HostPort("127.0.0.1", port))
            .build();
    try (TestEngine one = engine(Driver.LOOP, tls);
        TestEngine two = new TestEngine(Driver.LOOP, control);
        Relay relay =
            new Relay(
                two.address,
                new OnPort(server.getServerSocketFactory(), port),
                client.getSocketFactory())) {
      one.find(1, relay.address());
      one.awaitUntil(() -> !one.notFound.isEmpty());
      assertThat(one.notFound.element().text()).contains("expected a signature");
      assertThat(two.log).isEmpty();
    }
  }

  @Test
  void filesThatAreNoneAreNamed(@TempDir Path folder) throws IOException {
    TestPki.Files files = PKI.filesFor("127.0.0.1");
    Path nowhere = folder.resolve("nowhere.pem");
    Path garbage = Files.writeString(folder.resolve("garbage.pem"), "garbage");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tls.server(nowhere, files.key(), files.trusted()))
        .withMessageContaining("nowhere.pem");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tls.server(garbage, files.key(), files.trusted()))
        .withMessageContainingAll("garbage.pem", "got something else: ");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tls.server(files.certificates(), garbage, files.trusted()))
        .withMessageContaining("garbage.pem");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tls.mutual(files.certificates(), files.key(), garbage))
        .withMessageContaining("garbage.pem");
  }

  @Test
  void aKeyThatIsEncryptedIsCalledSo(@TempDir Path folder) throws Exception {
    TestPki.Files files = PKI.filesFor("127.0.0.1");
    var parameters = new PBEParameterSpec(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}, 1_000);
    var password = new PBEKeySpec("password".toCharArray());
    String by = "PBEWithSHA1AndDESede";
    Cipher cipher = Cipher.getInstance(by);
    cipher.init(
        Cipher.ENCRYPT_MODE, SecretKeyFactory.getInstance(by).generateSecret(password), parameters);
    KeyPairGenerator keys = KeyPairGenerator.getInstance("EC");
    byte[] encrypted = cipher.doFinal(keys.generateKeyPair().getPrivate().getEncoded());
    byte[] encoded = new EncryptedPrivateKeyInfo(cipher.getParameters(), encrypted).getEncoded();
    String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded);
    Path key =
        Files.writeString(
            folder.resolve("encrypted.key"),
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
                + lines
                + "\n-----END ENCRYPTED PRIVATE KEY-----\n");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tls.server(files.certificates(), key, files.trusted()))
        .withMessageContainingAll("encrypted.key, got a key that is encrypted", "-nocrypt");
  }

  @Test
  void ownContextsMustBeTheRightWayRound() {
    Tls tls = PKI.here(Tls::server);
    assertThat(Tls.of(tls.server(), tls.client()).client()).isSameAs(tls.client());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Tls.of(tls.client(), tls.server()))
        .withMessageContaining("one for clients, then one for servers");
  }
}
