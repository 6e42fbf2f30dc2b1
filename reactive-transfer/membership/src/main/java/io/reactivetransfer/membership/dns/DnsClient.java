package io.reactivetransfer.membership.dns;

import io.netty.channel.AddressedEnvelope;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DnsResponse;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.DnsNameResolverChannelStrategy;
import io.netty.resolver.dns.DnsServerAddressStream;
import io.netty.resolver.dns.DnsServerAddressStreamProviders;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.FutureListener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Asks name servers, on a thread of its own. It takes answers as they are, without caches and
 * without the hosts of this machine, because what the server says of a name that is gone, and for
 * how long it says it, is what is wanted.
 */
final class DnsClient {

  /**
   * Netty draws unpredictable query ids there, for which it reads a file; nobody else is served.
   */
  private static final ThreadFactory MAY_BLOCK =
      Thread.ofPlatform().daemon().name("reactive-transfer-dns").factory();

  private final DnsQuery query;
  private final EventLoopGroup loop =
      new MultiThreadIoEventLoopGroup(1, MAY_BLOCK, NioIoHandler.newFactory());
  private final DnsNameResolver resolver;

  /** Reads the configuration of this machine, so it may block. */
  DnsClient(DnsQuery query) {
    this.query = query;
    try {
      resolver =
          new DnsNameResolverBuilder(loop.next())
              .datagramChannelType(NioDatagramChannel.class)
              .socketChannelType(NioSocketChannel.class)
              // a port of its own for each question makes answers harder to forge
              .datagramChannelStrategy(DnsNameResolverChannelStrategy.ChannelPerResolution)
              .queryTimeoutMillis(query.timeout().toMillis())
              .build();
    } catch (Throwable failure) {
      end(loop); // nobody has this to close it
      throw failure;
    }
  }

  private static void end(EventLoopGroup loop) {
    var _ = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS); // nobody waits for it
  }

  /** Asks one server after the other; fails with what the last one said. It may block at first. */
  Mono<DnsAnswer> ask(RecordType type) {
    Mono<DnsAnswer> answer = Mono.error(() -> new IOException("there is no name server"));
    for (InetSocketAddress server : servers()) {
      answer = answer.onErrorResume(_ -> ask(server, type));
    }
    return answer;
  }

  private List<InetSocketAddress> servers() {
    if (!query.servers().isEmpty()) {
      return query.servers();
    }
    DnsServerAddressStream stream =
        DnsServerAddressStreamProviders.platformDefault().nameServerAddressStream(query.host());
    List<InetSocketAddress> servers = new ArrayList<>();
    for (int i = 0; i < stream.size(); i++) {
      servers.add(stream.next());
    }
    return servers;
  }

  /** Three steps: by UDP, and where that is too short a connection and a question by TCP. */
  private Mono<DnsAnswer> ask(InetSocketAddress server, RecordType type) {
    return Mono.<DnsAnswer>create(
            sink -> {
              Asked asked = new Asked(type, query.role(), sink);
              sink.onCancel(asked);
              resolver
                  .query(server, new DefaultDnsQuestion(query.host(), type.type()))
                  .addListener(asked);
            })
        .timeout(query.timeout().multipliedBy(3));
  }

  /** One question; its response is to be released also when nobody waits for it any more. */
  private static final class Asked
      implements FutureListener<AddressedEnvelope<DnsResponse, InetSocketAddress>>, Disposable {
    private final RecordType type;
    private final String role;
    private final MonoSink<DnsAnswer> sink;
    private volatile boolean over;

    Asked(RecordType type, String role, MonoSink<DnsAnswer> sink) {
      this.type = type;
      this.role = role;
      this.sink = sink;
    }

    @Override
    public void dispose() {
      over = true;
    }

    @Override
    public void operationComplete(Future<AddressedEnvelope<DnsResponse, InetSocketAddress>> done) {
      if (!done.isSuccess()) {
        fail(done.cause());
        return;
      }
      AddressedEnvelope<DnsResponse, InetSocketAddress> envelope = done.getNow();
      try {
        sink.success(DnsAnswer.of(envelope.content(), type, role));
      } catch (Throwable failure) {
        fail(failure);
      } finally {
        envelope.release();
      }
    }

    private void fail(Throwable failure) {
      if (!over) {
        sink.error(failure);
      }
    }
  }

  /** Its thread ends a moment later. */
  void close() {
    resolver.close();
    end(loop);
  }
}
