package io.reactivetransfer.weights.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Message;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.loopback.LoopbackNetwork;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PostmanTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final MessageChannel CHANNEL = new MessageChannel(30);

  private final LoopbackNetwork network = new LoopbackNetwork();

  private TransferEngine engine() {
    return TransferEngineBuilder.create()
        .backend(LoopbackBackend.builder().network(network).build())
        .options(EngineOptions.builder().maxMessageBytes(64).build())
        .open()
        .block(PATIENCE);
  }

  @Test
  void oneThatIsTooLongKeepsBackNoneOfThoseBehindIt() {
    TransferEngine from = engine();
    TransferEngine to = engine();
    CompletableFuture<Message> first = to.messages(CHANNEL).next().toFuture();
    Turns turns = new Turns();
    Postman postman = new Postman(from, CHANNEL, turns, false);
    Peer peer = from.peer(to.address());
    turns.run(() -> postman.send(peer, ByteBuffer.allocate(65)));
    turns.run(() -> postman.send(peer, ByteBuffer.wrap(new byte[] {7})));
    assertThat(first)
        .succeedsWithin(PATIENCE)
        .satisfies(message -> assertThat(message.bytes().get(0)).isEqualTo((byte) 7));
    from.close().block(PATIENCE);
    to.close().block(PATIENCE);
  }

  @Test
  void whoCannotBeReachedIsToldOf() {
    TransferEngine from = engine();
    TransferEngine to = engine();
    Peer peer = from.peer(to.address());
    to.close().block(PATIENCE);
    Turns turns = new Turns();
    Postman postman = new Postman(from, CHANNEL, turns, false);
    CompletableFuture<Throwable> told = new CompletableFuture<>();
    turns.run(() -> postman.send(peer, ByteBuffer.allocate(1), told::complete));
    assertThat(told).succeedsWithin(PATIENCE).isInstanceOf(PeerUnreachableException.class);
    from.close().block(PATIENCE);
  }
}
