package io.reactivetransfer.spring;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.SslContext;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSessionContext;

/**
 * Stands for another context, which may be replaced at any time and from any thread. A connection
 * keeps the one that it has begun with.
 */
final class ReloadedSslContext extends SslContext {

  private volatile SslContext current;

  ReloadedSslContext(SslContext current) {
    this.current = current;
  }

  /** Connections that begin from now on have this one. */
  void set(SslContext next) {
    current = next;
  }

  @Override
  public boolean isClient() {
    return current.isClient();
  }

  @Override
  public List<String> cipherSuites() {
    return current.cipherSuites();
  }

  @Override
  @SuppressWarnings("deprecation") // abstract in Netty, which calls it itself
  public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
    return current.applicationProtocolNegotiator();
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator allocator) {
    return current.newEngine(allocator);
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator allocator, String host, int port) {
    return current.newEngine(allocator, host, port);
  }

  @Override
  public SSLSessionContext sessionContext() {
    return current.sessionContext();
  }
}
