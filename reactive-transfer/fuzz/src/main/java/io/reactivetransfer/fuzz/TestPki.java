package io.reactivetransfer.fuzz;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** An authority, and the PEM files of an engine that it has signed. */
public final class TestPki {

  private static final AtomicInteger COUNT = new AtomicInteger();

  private final X509Bundle authority;

  /** An authority that nobody else is. */
  public TestPki() {
    try {
      authority =
          new CertificateBuilder()
              .ecp256()
              .subject("CN=authority " + COUNT.getAndIncrement())
              .setIsCertificateAuthority(true)
              .buildSelfSigned();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Files that stay until the JVM ends.
   *
   * @param certificates from the engine's to the authority's
   * @param key of the engine
   * @param trusted the authority
   */
  public record Files(Path certificates, Path key, Path trusted) {}

  /** For an engine that is reached under this address. */
  public Files filesFor(String address) {
    return filesFor(address, Algorithm.ecp256);
  }

  /** The same, with a key of another kind. */
  public Files filesFor(String address, Algorithm algorithm) {
    try {
      X509Bundle node =
          new CertificateBuilder()
              .algorithm(algorithm)
              .subject("CN=engine")
              .addSanIpAddress(address)
              .buildIssuedBy(authority);
      return new Files(
          node.toTempCertChainPem().toPath(),
          node.toTempPrivateKeyPem().toPath(),
          authority.toTempRootCertPem().toPath());
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * What is made of three files, as {@code Tls.mutual} does.
   *
   * @param <T> such as {@code Tls}
   */
  @FunctionalInterface
  public interface Use<T> {
    /** Of certificates, their key, and who is trusted. */
    T of(Path certificates, Path key, Path trusted);
  }

  /** For an engine that is reached on 127.0.0.1. */
  public <T> T here(Use<T> use) {
    Files files = filesFor("127.0.0.1");
    return use.of(files.certificates(), files.key(), files.trusted());
  }
}
