package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whoever throws when he gets a message, or is told of one, does not end the reading. */
class KvInboxTest {

  private static final MessageChannel CHANNEL = new MessageChannel(3);

  private final TestNode reader = new TestNode("loopback", KvLayout.opaque(1, 1, 64));
  private final TestNode sender = new TestNode("loopback", KvLayout.opaque(1, 1, 64));
  private final BlockingQueue<String> told = new LinkedTransferQueue<>();

  @AfterEach
  void close() {
    sender.close();
    reader.close();
  }

  private final class Throwing implements KvInbox.Handler {
    private final WhateverIsThrownTest.Thrown thrown;

    Throwing(WhateverIsThrownTest.Thrown thrown) {
      this.thrown = thrown;
    }

    @Override
    public boolean received(Peer from, KvMessage message, int bytes) {
      told.add("message " + message.id() + " of " + bytes + " bytes");
      return thrown.raise();
    }

    @Override
    public void otherVersion(Peer from, long id, KvFormatException why) {
      told.add("other version " + id);
      thrown.raise();
    }

    @Override
    public void ended(@Nullable Throwable failure) {
      told.add("end");
    }
  }

  private void send(ByteBuffer message) {
    sender.engine.send(reader.seenFrom(sender), CHANNEL, message).block(PATIENCE);
  }

  private String next() throws InterruptedException {
    return told.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @EnumSource
  void whatHandlersThrowConcernsNobodyElse(WhateverIsThrownTest.Thrown thrown) throws Exception {
    KvInbox.open(reader.engine, CHANNEL, 1, new Throwing(thrown));
    for (int id = 1; id <= 3; id++) {
      byte[] other = KvCodecTest.bytes(new KvMessage.Cancel(id));
      other[0] = KvCodec.VERSION + 1;
      send(ByteBuffer.wrap(KvCodecTest.sealed(other)));
      send(KvCodec.encode(new KvMessage.Cancel(id)));
      assertThat(next()).isEqualTo("other version " + id);
      assertThat(next()).isEqualTo("message " + id + " of 14 bytes");
    }
  }

  @Test
  void whatIsLoggedOfAPeersTextIsCutShort() {
    assertThat(KvInbox.shown("x".repeat(500))).hasSize(500).doesNotContain("...");
    assertThat(KvInbox.shown("x".repeat(100_000))).hasSize(503).endsWith("x...");
    // A peer's layout stands in errors and logs, too.
    KvLayout.Builder many = KvLayout.builder().layers(1).pages(1).pageTokens(1);
    for (int part = 0; part < 1_000; part++) {
      many.part(KvPart.whole("part " + part, 1));
    }
    assertThat(many.build().toString()).hasSizeLessThan(2_000).endsWith("] and 992 more");
  }
}
