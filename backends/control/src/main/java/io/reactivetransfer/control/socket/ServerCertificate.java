package io.reactivetransfer.control.socket;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandler;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/**
 * The certificate that the accepting side of a TLS connection has shown. A proof that covers it is
 * good for that connection only, and not for one that somebody in between makes with a certificate
 * of his own (RFC 5929 calls this {@code tls-server-end-point}).
 */
public final class ServerCertificate {

  private ServerCertificate() {}

  /**
   * Its SHA-256, on either side of a connection whose TLS handshake, if any, is done; no bytes for
   * a connection without TLS.
   *
   * @throws ProtocolException if the side that accepts has shown none
   */
  public static byte[] hashOf(ChannelPipeline pipeline) {
    SslHandler tls = pipeline.get(SslHandler.class);
    return tls == null
        ? new byte[0]
        : hashOf(tls.engine().getSession(), tls.engine().getUseClientMode());
  }

  /**
   * The same of a TLS session.
   *
   * @param isClient whether this side has connected
   */
  public static byte[] hashOf(SSLSession session, boolean isClient) {
    try {
      Certificate[] servers =
          isClient ? session.getPeerCertificates() : session.getLocalCertificates();
      if (servers == null) {
        throw new ProtocolException(ErrorCode.TLS, "expected TLS with a certificate, got none");
      }
      return MessageDigest.getInstance("SHA-256").digest(servers[0].getEncoded());
    } catch (SSLPeerUnverifiedException e) {
      throw new ProtocolException(ErrorCode.TLS, "expected TLS with a certificate, got none");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("expected a certificate that can be encoded", e);
    }
  }
}
