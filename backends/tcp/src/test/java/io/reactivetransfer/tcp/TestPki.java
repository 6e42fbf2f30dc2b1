package io.reactivetransfer.tcp;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.reactivetransfer.control.Tls;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** An authority, and the PEM files of an engine that it has signed. */
final class TestPki {

  private static final AtomicInteger COUNT = new AtomicInteger();

  private final X509Bundle authority;

  TestPki() {
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

  /** Files that stay until the JVM ends. */
  record Files(Path certificates, Path key, Path trusted) {}

  /** For an engine that is reached under this address. */
  Files filesFor(String address) {
    try {
      X509Bundle node =
          new CertificateBuilder()
              .ecp256()
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

  Tls mutual() {
    Files files = filesFor("127.0.0.1");
    return Tls.mutual(files.certificates(), files.key(), files.trusted());
  }

  Tls server() {
    Files files = filesFor("127.0.0.1");
    return Tls.server(files.certificates(), files.key(), files.trusted());
  }
}
