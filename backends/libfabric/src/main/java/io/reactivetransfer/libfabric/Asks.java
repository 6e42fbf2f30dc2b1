package io.reactivetransfer.libfabric;

import io.reactivetransfer.spi.BackendException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Where memory may be written: asked once for each route, and told by who owns it. So the keys of a
 * provider need not be hard to guess, and an endpoint is opened only for memory of an engine that
 * is written to.
 *
 * <p>What NICs say to each other begins with a byte that says what it is, and the number of an ask
 * in 8 bytes. An {@link #ASK} goes on with the token of the memory; a {@link #GRANT} with the
 * address that offsets are added to, the provider's key and the length, in 8 bytes each, and what
 * must be known of the endpoint; a {@link #DENY} with the reason in UTF-8.
 */
final class Asks {

  static final byte ASK = 0;
  static final byte GRANT = 1;
  static final byte DENY = 2;

  static final int HEAD_BYTES = 1 + Long.BYTES;
  private static final int GRANT_BYTES = 3 * Long.BYTES;
  private static final int MAX_TEXT_BYTES = 512;
  private static final int MAX_NAME_BYTES = 256;

  private final Regions regions;

  Asks(Regions regions) {
    this.regions = regions;
  }

  /** The question. */
  static ByteBuffer ask(long number, Token token) {
    return begin(ASK, number, Token.BYTES).put(token.encode()).flip();
  }

  private static ByteBuffer begin(byte kind, long number, int moreBytes) {
    return ByteBuffer.allocate(HEAD_BYTES + moreBytes).put(kind).putLong(number);
  }

  /**
   * The answer.
   *
   * @param asker is told what lets nobody else write, as far as the provider allows that
   * @param question what follows the number
   */
  ByteBuffer answer(FabricPeer asker, long number, ByteBuffer question) {
    if (question.remaining() != Token.BYTES) {
      return deny(number, "expected a token, got " + question.remaining() + " bytes");
    }
    FabricMemory memory = regions.find(Token.read(question));
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
      byte[] landing = regions.admit(asker, target);
      return begin(GRANT, number, GRANT_BYTES + landing.length)
          .putLong(target.base)
          .putLong(target.key)
          .putLong(memory.length())
          .put(landing)
          .flip();
    } catch (BackendException e) {
      return deny(number, "the memory cannot be opened to others: " + e.getMessage());
    }
  }

  private static ByteBuffer deny(long number, String reason) {
    byte[] bytes = reason.getBytes(StandardCharsets.UTF_8);
    byte[] text = bytes.length <= MAX_TEXT_BYTES ? bytes : Arrays.copyOf(bytes, MAX_TEXT_BYTES);
    return begin(DENY, number, text.length).put(text).flip();
  }

  /** Whether what follows the number can be that of a grant. */
  static boolean isGrant(ByteBuffer answer) {
    int landing = answer.remaining() - GRANT_BYTES;
    return landing > 0 && landing <= MAX_NAME_BYTES;
  }

  /** Opens the route that was asked for. */
  static void granted(Route route, ByteBuffer answer) {
    long base = answer.getLong();
    long key = answer.getLong();
    long length = answer.getLong();
    byte[] landing = new byte[answer.remaining()];
    answer.get(landing);
    route.open(landing, base, key, length);
  }
}
