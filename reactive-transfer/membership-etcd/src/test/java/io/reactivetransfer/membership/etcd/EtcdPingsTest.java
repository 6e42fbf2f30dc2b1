package io.reactivetransfer.membership.etcd;

import static io.reactivetransfer.membership.etcd.EtcdServer.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.ClientBuilder;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2PingFrame;
import io.netty.handler.codec.http2.Http2Frame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2PingFrame;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What an etcd does with the pings by which a client finds out that a connection is dead. gRPC
 * sends one after 10 s at the earliest, so they are sent by hand here.
 */
class EtcdPingsTest {

  private static final Duration OFTEN = Duration.ofMillis(10);

  private static final EventLoopGroup LOOP =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

  @RegisterExtension
  static final EtcdServer ETCD = new EtcdServer().with("--grpc-keepalive-min-time=1us");

  @AfterAll
  static void close() {
    LOOP.shutdownGracefully().awaitUninterruptibly(PATIENCE.toMillis());
  }

  /** So pings are not to be sent where nothing runs. */
  @Test
  void aConnectionOnWhichNothingRunsIsEndedForPings() throws Exception {
    Connection connection = new Connection();
    await()
        .atMost(PATIENCE)
        .pollInterval(OFTEN)
        .until(() -> {
          connection.ping();
          return !connection.channel.isActive();
        });
    assertThat(connection.told).contains("too_many_pings");
  }

  @Test
  void oneWithAStreamIsPingedAsOftenAsEtcdAllows() throws Exception {
    Connection connection = new Connection();
    connection.beginWatching();
    for (int i = 1; i <= 6; i++) {
      int count = i;
      connection.ping();
      await().atMost(PATIENCE).pollInterval(OFTEN).until(() -> connection.told.size() == count);
    }
    assertThat(connection.told).containsOnly("pong");
    connection.channel.close().sync();
  }

  @Test
  void theClientOfAMembershipPingsNothingElseUnlessItsUserHasSetSo() {
    assertThat(Clients.withDefaults(ETCD.builder()).keepaliveWithoutCalls()).isFalse();
    assertThat(Clients.withDefaults(ETCD.builder()).keepaliveTime()).hasSeconds(10);
    ClientBuilder often = ETCD.builder().keepaliveTime(Duration.ofSeconds(20));
    assertThat(Clients.withDefaults(often).keepaliveTime()).hasSeconds(20);
  }

  /** Of HTTP/2. */
  private static final class Connection extends SimpleChannelInboundHandler<Http2Frame> {

    final List<String> told = new CopyOnWriteArrayList<>();
    final Channel channel;

    Connection() throws InterruptedException {
      channel =
          new Bootstrap()
              .group(LOOP)
              .channel(NioSocketChannel.class)
              .handler(Http2FrameCodecBuilder.forClient().build())
              .connect("127.0.0.1", ETCD.port())
              .sync()
              .channel();
      channel
          .pipeline()
          .addLast(new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()), this);
    }

    void ping() {
      channel.writeAndFlush(new DefaultHttp2PingFrame(1));
    }

    void beginWatching() throws InterruptedException {
      new Http2StreamChannelBootstrap(channel)
          .handler(new ChannelInboundHandlerAdapter())
          .open()
          .sync()
          .getNow()
          .writeAndFlush(
              new DefaultHttp2HeadersFrame(
                  new DefaultHttp2Headers()
                      .method("POST")
                      .scheme("http")
                      .path("/etcdserverpb.Watch/Watch")
                      .authority("127.0.0.1")
                      .add("content-type", "application/grpc")
                      .add("te", "trailers")))
          .sync();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, Http2Frame frame) {
      if (frame instanceof Http2PingFrame ping && ping.ack()) {
        told.add("pong");
      } else if (frame instanceof Http2GoAwayFrame end) {
        told.add(end.content().toString(StandardCharsets.UTF_8));
      }
    }
  }
}
