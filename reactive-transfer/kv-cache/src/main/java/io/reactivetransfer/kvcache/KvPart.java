package io.reactivetransfer.kvcache;

/**
 * What each token has in each layer of a KV cache: its keys, its values, or one latent vector.
 * Within a page, head {@code h} of token {@code t}, both counted from 0 within this part, begins at
 * {@code t * tokenStride + h * headStride} and is {@code headBytes} long.
 *
 * @param name by which the other side knows it, 1 to 255 bytes of UTF-8
 * @param firstHead the model's number of the first head that is held here, 0 or more
 * @param heads how many heads are held here, at least 1
 * @param headBytes bytes of one head of one token, at least 1
 * @param tokenStride bytes from a token to the next one of its page, at least {@code headBytes}
 * @param headStride bytes from a head of a token to its next one, at least {@code headBytes}
 */
public record KvPart(
    String name, int firstHead, int heads, int headBytes, long tokenStride, long headStride) {

  /** Checks the numbers. Whether rows overlap depends on the page, so a {@link KvLayout} does. */
  public KvPart {
    KvName.require("part", name);
    if (firstHead < 0 || heads < 1 || firstHead > Integer.MAX_VALUE - heads) {
      throw new IllegalArgumentException(
          "expected a first head of 0 or more, and 1 or more heads below 2^31, got "
              + heads
              + " from "
              + firstHead
              + " on in part "
              + name);
    }
    if (headBytes < 1) {
      throw new IllegalArgumentException(
          "expected 1 or more bytes in a head of part " + name + ", got " + headBytes);
    }
    requireStride("token", name, headBytes, tokenStride);
    requireStride("head", name, headBytes, headStride);
  }

  /** The heads of a token lie together, token after token: what is often called NHD. */
  public static KvPart tokenMajor(String name, int firstHead, int heads, int headBytes) {
    return new KvPart(name, firstHead, heads, headBytes, (long) heads * headBytes, headBytes);
  }

  /** The tokens of a head lie together, head after head of a page: what is often called HND. */
  public static KvPart headMajor(
      String name, int firstHead, int heads, int headBytes, int pageTokens) {
    return new KvPart(name, firstHead, heads, headBytes, headBytes, (long) pageTokens * headBytes);
  }

  /** One head, so nothing that could be cut: a latent vector, for instance. */
  public static KvPart whole(String name, int bytesPerToken) {
    return new KvPart(name, 0, 1, bytesPerToken, bytesPerToken, bytesPerToken);
  }

  /** Number behind that of the last head. */
  public int endHead() {
    return firstHead + heads;
  }

  /**
   * Bytes from the beginning of a page to the end of the last row in it.
   *
   * @throws IllegalArgumentException if it is 2^63 or more
   */
  public long pageBytes(int pageTokens) {
    try {
      return Math.addExact(
          Math.addExact(
              Math.multiplyExact(pageTokens - 1L, tokenStride),
              Math.multiplyExact(heads - 1L, headStride)),
          headBytes);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "expected pages of less than 2^63 bytes, got " + pageTokens + " tokens of " + this, e);
    }
  }

  private static void requireStride(String what, String name, int headBytes, long stride) {
    if (stride < headBytes) {
      throw new IllegalArgumentException(
          "expected a "
              + what
              + " stride of at least the "
              + headBytes
              + " bytes of a head in part "
              + name
              + ", got "
              + stride);
    }
  }
}
