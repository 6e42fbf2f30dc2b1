package io.reactivetransfer.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.X509Bundle;
import io.reactivetransfer.fuzz.TestPki;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.Certificate;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.RSAPrivateCrtKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A certificate and a key that do not belong together are found before anybody is met. */
class CertifiedKeyTest {

  private static final TestPki PKI = new TestPki();

  /** Drawn once each: keys of RSA take long. */
  private static final Map<String, X509Bundle> BUNDLES = new HashMap<>();

  private static X509Bundle bundle(Algorithm algorithm) throws Exception {
    return bundle(algorithm, "engine");
  }

  private static X509Bundle bundle(Algorithm algorithm, String name) throws Exception {
    String what = algorithm + " of " + name;
    X509Bundle known = BUNDLES.get(what);
    if (known == null) {
      known =
          new CertificateBuilder()
              .algorithm(algorithm)
              .subject("CN=" + name)
              .setIsCertificateAuthority(true)
              .buildSelfSigned();
      BUNDLES.put(what, known);
    }
    return known;
  }

  @ParameterizedTest
  @EnumSource(names = {"rsa2048", "ecp256", "ecp384", "ed25519", "ed448"})
  void whatTheKeySignsTheCertificateVerifies(Algorithm algorithm) throws Exception {
    X509Bundle own = bundle(algorithm);
    X509Bundle other = bundle(algorithm, "another");
    assertThat(CertifiedKey.fits(own.getCertificate(), own.getKeyPair().getPrivate())).isTrue();
    assertThat(CertifiedKey.fits(own.getCertificate(), other.getKeyPair().getPrivate())).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"rsa2048, ecp256", "ecp256, rsa2048", "ecp256, ecp384", "ed25519, ed448"})
  void aKeyOfAnotherKindDoesNotFit(Algorithm one, Algorithm other) throws Exception {
    assertThat(
            CertifiedKey.fits(
                bundle(one).getCertificate(), bundle(other).getKeyPair().getPrivate()))
        .isFalse();
  }

  @Test
  void keysOfRsaThatSignInOneWayOnlyFitNoOther() throws Exception {
    X509Bundle rsa = bundle(Algorithm.rsa2048);
    KeyPair pss = pssOf(bundle(Algorithm.rsa2048, "another"));
    KeyPair other = pssOf(rsa);
    assertThat(CertifiedKey.fits(rsa.getCertificate(), pss.getPrivate())).isFalse();
    assertThat(CertifiedKey.fits(with(pss.getPublic()), pss.getPrivate())).isTrue();
    assertThat(CertifiedKey.fits(with(pss.getPublic()), other.getPrivate())).isFalse();
  }

  /** A key of that kind with the numbers of one that is there: to draw them takes long. */
  private static KeyPair pssOf(X509Bundle rsa) throws Exception {
    KeyFactory factory = KeyFactory.getInstance("RSASSA-PSS");
    RSAPrivateCrtKey key = (RSAPrivateCrtKey) rsa.getKeyPair().getPrivate();
    return new KeyPair(
        factory.generatePublic(new RSAPublicKeySpec(key.getModulus(), key.getPublicExponent())),
        factory.generatePrivate(
            new RSAPrivateCrtKeySpec(
                key.getModulus(),
                key.getPublicExponent(),
                key.getPrivateExponent(),
                key.getPrimeP(),
                key.getPrimeQ(),
                key.getPrimeExponentP(),
                key.getPrimeExponentQ(),
                key.getCrtCoefficient())));
  }

  /** A token keeps what a key is: only what signs is there. */
  @Test
  void aKindOfKeyThatNobodyKnowsIsComparedByName() {
    PrivateKey token = new Unknown("kind of a token");
    assertThat(CertifiedKey.fits(with(new Unknown("kind of a token")), token)).isTrue();
    assertThat(CertifiedKey.fits(with(new Unknown("another kind")), token)).isFalse();
  }

  /** Which may sign in another way than it is asked to here, such as RSASSA-PSS only. */
  @ParameterizedTest
  @CsvSource({
    "rsa2048, RSA, EC",
    "rsa2048, RSASSA-PSS, DSA",
    "ecp256, EC, RSA",
    "ecp256, ECDSA, EdDSA",
    "ed25519, EdDSA, EC",
    "ed25519, Ed25519, RSASSA-PSS"
  })
  void aKeyOfATokenThatDoesNotSignIsComparedByName(Algorithm algorithm, String own, String other)
      throws Exception {
    Certificate certificate = bundle(algorithm).getCertificate();
    assertThat(CertifiedKey.fits(certificate, new Unknown(own))).isTrue();
    assertThat(CertifiedKey.fits(certificate, new Unknown(other))).isFalse();
  }

  /** As Bouncy Castle's are. */
  @Test
  void aKeyThatIsCalledOtherwiseIsReadByItsEncoding() throws Exception {
    X509Bundle own = bundle(Algorithm.ecp256);
    X509Bundle other = bundle(Algorithm.ecp256, "another");
    for (String name : List.of("ECDSA", "EC of another provider")) {
      assertThat(CertifiedKey.fits(own.getCertificate(), called(name, own))).isTrue();
      assertThat(CertifiedKey.fits(own.getCertificate(), called(name, other))).isFalse();
    }
  }

  private static PrivateKey called(String algorithm, X509Bundle bundle) {
    PrivateKey key = bundle.getKeyPair().getPrivate();
    return new PrivateKey() {
      @Override
      public String getAlgorithm() {
        return algorithm;
      }

      @Override
      public String getFormat() {
        return key.getFormat();
      }

      @Override
      public byte[] getEncoded() {
        return key.getEncoded();
      }
    };
  }

  private record Unknown(String getAlgorithm) implements PrivateKey, PublicKey {
    @Override
    public String getFormat() {
      return null;
    }

    @Override
    public byte[] getEncoded() {
      return null;
    }
  }

  private static Certificate with(PublicKey key) {
    return new Certificate("of a test") {
      @Override
      public PublicKey getPublicKey() {
        return key;
      }

      @Override
      public byte[] getEncoded() {
        return new byte[0];
      }

      @Override
      public void verify(PublicKey by) {}

      @Override
      public void verify(PublicKey by, String provider) {}

      @Override
      public String toString() {
        return "certificate of " + key.getAlgorithm();
      }
    };
  }

  @Test
  void filesThatDoNotBelongTogetherAreRefused() {
    assertRefused(Algorithm.ecp256);
  }

  /** In a usual build of another kind, which is drawn sooner. */
  @Test
  @Tag("nightly")
  void soAreThoseWithKeysOfRsa() {
    assertRefused(Algorithm.rsa2048);
  }

  private static void assertRefused(Algorithm algorithm) {
    TestPki.Files own = PKI.filesFor("127.0.0.1", algorithm);
    TestPki.Files other = PKI.filesFor("127.0.0.1", algorithm);
    assertThat(Tls.mutual(own.certificates(), own.key(), own.trusted())).isNotNull();
    for (TestPki.Use<Tls> use : List.<TestPki.Use<Tls>>of(Tls::mutual, Tls::server)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> use.of(own.certificates(), other.key(), own.trusted()))
          .withMessageContainingAll(
              "expected a certificate in " + own.certificates(),
              "that fits the key in " + other.key(),
              "got one of another key");
    }
  }

  @Test
  void aFingerprintIsTheBeginningOfTheUsualOne() throws Exception {
    var certificate = bundle(Algorithm.ecp256).getCertificate();
    byte[] all = MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
    assertThat(CertifiedKey.fingerprint(certificate))
        .isEqualTo(HexFormat.of().formatHex(all).substring(0, 8));
  }
}
