package io.reactivetransfer.control;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandler;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.ProtocolException;
import io.reactivetransfer.control.socket.ServerCertificate;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLKeyException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * What ties a handshake to the TLS connection that it goes over, so that nobody can end TLS in the
 * middle and pass the handshake on: keying material that only the two ends of that connection have
 * (RFC 9266, RFC 8446 section 7.5), or, where one of them cannot export any, the hash of the
 * certificate that the server has shown (as in RFC 5929).
 */
final class Binding {

  static final int NONE = 0;
  static final int EXPORTER = 1;
  static final int CERTIFICATE = 2;

  static final int BYTES = 32;
  private static final String LABEL = "EXPORTER-reactive-transfer-control";

  private final byte @Nullable [] exported;
  private final byte @Nullable [] certificate;

  private Binding(byte @Nullable [] exported, byte @Nullable [] certificate) {
    this.exported = exported;
    this.certificate = certificate;
  }

  /** Without TLS there is nothing to tie to; the handshake's own keys do what is needed. */
  static Binding without() {
    return new Binding(null, null);
  }

  /** Of a connection whose TLS handshake, if any, is done. */
  static Binding of(ChannelPipeline pipeline) {
    SslHandler tls = pipeline.get(SslHandler.class);
    if (tls == null) {
      return without();
    }
    SSLSession session = tls.engine().getSession();
    byte[] certificate = ServerCertificate.hashOf(session, tls.engine().getUseClientMode());
    return new Binding(exported(session), certificate);
  }

  private static byte @Nullable [] exported(SSLSession session) {
    try {
      return session instanceof ExtendedSSLSession extended
          ? extended.exportKeyingMaterialData(LABEL, null, BYTES)
          : null;
    } catch (UnsupportedOperationException | SSLKeyException e) {
      return null; // a provider of the caller's own, which cannot
    }
  }

  /** What can be had, as bits. */
  int offers() {
    return (exported == null ? 0 : EXPORTER) | (certificate == null ? 0 : CERTIFICATE);
  }

  /** The best that both sides can. */
  int choose(int othersOffers) {
    int both = offers() & othersOffers;
    if ((offers() == NONE) != (othersOffers == NONE) || (both == NONE && offers() != NONE)) {
      throw new ProtocolException(
          ErrorCode.TLS,
          "expected TLS to end at the two engines, got a connection that is encrypted on one side"
              + " of something between them only");
    }
    return (both & EXPORTER) != 0 ? EXPORTER : both;
  }

  /** The bytes for what was chosen; none for {@link #NONE}. */
  byte[] bytes(int chosen) {
    byte[] bytes =
        switch (chosen) {
          case NONE -> offers() == NONE ? new byte[0] : null;
          case EXPORTER -> exported;
          case CERTIFICATE -> certificate;
          default -> null;
        };
    if (bytes == null) {
      throw new ProtocolException(
          ErrorCode.TLS, "expected a binding of " + offers() + ", got " + chosen);
    }
    return bytes;
  }
}
