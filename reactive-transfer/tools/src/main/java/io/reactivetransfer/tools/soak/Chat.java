package io.reactivetransfer.tools.soak;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Messages of any length in bursts, more of them than there are credits. */
final class Chat {

  private static final int MAX_BYTES = 4_000;
  private static final int MAX_BURST = 40;
  private static final int MAX_PAUSE_MILLIS = 20;
  private static final int STREAM = 0;

  private final Node node;
  private final Where mine;
  private final Where theirs;

  Chat(Node node, Where mine, Where theirs) {
    this.node = node;
    this.mine = mine;
    this.theirs = theirs;
  }

  /** An empty message is the last one. */
  void speak() throws InterruptedException {
    Random pace = new Random(mine.seed());
    int number = 0;
    while (!node.isOver()) {
      for (int left = pace.nextInt(MAX_BURST); left >= 0; left--) {
        node.letters().send(Letters.Kind.CHAT, STREAM, content(mine, number++), "messages");
      }
      TimeUnit.MILLISECONDS.sleep(pace.nextInt(MAX_PAUSE_MILLIS));
    }
    node.letters().send(Letters.Kind.CHAT, STREAM, ByteBuffer.allocate(0), "the last message");
  }

  void listen() throws InterruptedException {
    for (int number = 0; ; number++) {
      ByteBuffer came = node.letters().take(Letters.Kind.CHAT, STREAM, "messages");
      if (!came.hasRemaining()) {
        return;
      }
      if (!came.equals(content(theirs, number))) {
        throw SoakFailure.at(
            "messages of side " + theirs.origin(), "message " + number, "other bytes", null);
      }
      node.tally().add(Tally.MESSAGES, 1);
    }
  }

  private static ByteBuffer content(Where where, int number) {
    Random random = new Random(where.stamp(number));
    byte[] bytes = new byte[1 + random.nextInt(MAX_BYTES)];
    random.nextBytes(bytes);
    return ByteBuffer.wrap(bytes);
  }
}
