package io.reactivetransfer.control;

import io.netty.channel.ChannelOption;
import java.net.InetSocketAddress;
import reactor.core.Disposable;

/** What connections are made over. */
@FunctionalInterface
interface Network {

  /**
   * Begins to connect, and has the connection handle what comes of it.
   *
   * @param remote where; a name is to be resolved, each time
   * @return ends the attempt
   */
  Disposable connect(Dialled dial, InetSocketAddress remote);

  /** The real one. */
  static Network of(ControlLoop loop, int connectMillis) {
    return (dial, remote) ->
        loop.client()
            .remoteAddress(() -> remote)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, connectMillis)
            .doOnChannelInit((_, channel, _) -> dial.handle(channel))
            .connect()
            .subscribe(_ -> {}, dial::cannotConnect);
  }
}
