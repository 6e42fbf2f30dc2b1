package io.reactivetransfer.libfabric;

import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.PeerText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Where memory may be written: asked once for each route, and told by who owns it. So the keys of a
 * provider need not be hard to guess, and an endpoint is opened only for memory that is written to.
 */
final class Asks {

  private static final int MAX_TEXT_BYTES = 512;
  private static final int MAX_NAME_BYTES = 128;
  private static final int GRANT_BYTES = 4 * Long.BYTES;

  private final Regions regions;
  private long lastAsk;
  private byte[] answer = {};

  Asks(Regions regions) {
    this.regions = regions;
  }

  /** The content of an ask, whose number the peer's books have from now on. */
  byte[] ask(Route route) {
    long number = ++lastAsk;
    route.peer().asks().put(number, route);
    return ByteBuffer.allocate(Long.BYTES + Token.BYTES)
        .putLong(number)
        .put(route.token().encode())
        .array();
  }

  /** Prepares the {@link #answer()} to an ask, and says of which type it is. */
  Frame.Type answerType(ByteBuffer content) {
    if (content.remaining() != Long.BYTES + Token.BYTES) {
      return deny(0, "expected a number and a token, got " + content.remaining() + " bytes");
    }
    long number = content.getLong();
    FabricMemory memory = regions.find(Token.read(content));
    if (memory == null) {
      return deny(
          number, "no memory under this key: it was revoked, deregistered, or never registered");
    }
    FabricMemory.Target target = memory.target();
    if (target == null) {
      return deny(number, "expected memory open to REMOTE_WRITE, got " + memory.access());
    }
    if (!memory.isAlive()) {
      return deny(number, FabricMemory.TARGET_FREED);
    }
    try {
      byte[] name = regions.landingOf(target).name();
      answer =
          ByteBuffer.allocate(GRANT_BYTES + name.length)
              .putLong(number)
              .putLong(target.base)
              .putLong(target.key)
              .putLong(memory.length())
              .put(name)
              .array();
      return Frame.Type.GRANT;
    } catch (BackendException e) {
      return deny(number, "the memory cannot be opened to others: " + e.getMessage());
    }
  }

  private Frame.Type deny(long number, String reason) {
    byte[] text = shortened(reason);
    answer = ByteBuffer.allocate(Long.BYTES + text.length).putLong(number).put(text).array();
    return Frame.Type.DENY;
  }

  byte[] answer() {
    return answer;
  }

  void granted(FabricPeer peer, ByteBuffer content) {
    if (content.remaining() <= GRANT_BYTES || content.remaining() > GRANT_BYTES + MAX_NAME_BYTES) {
      return; // not from a NIC of this kind; the ask stays without an answer
    }
    Route route = peer.asks().remove(content.getLong());
    if (route == null) {
      return;
    }
    long base = content.getLong();
    long key = content.getLong();
    long length = content.getLong();
    byte[] name = new byte[content.remaining()];
    content.get(name);
    route.open(name, base, key, length);
  }

  void denied(FabricPeer peer, ByteBuffer content) {
    if (content.remaining() >= Long.BYTES) {
      Route route = peer.asks().remove(content.getLong());
      if (route != null) {
        route.deny(PeerText.of(content));
      }
    }
  }

  /** The text in as many bytes as are sent. */
  static byte[] shortened(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return bytes.length <= MAX_TEXT_BYTES ? bytes : Arrays.copyOf(bytes, MAX_TEXT_BYTES);
  }
}
