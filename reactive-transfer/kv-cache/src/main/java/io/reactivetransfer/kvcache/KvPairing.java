package io.reactivetransfer.kvcache;

import io.reactivetransfer.PagedWrite;

/**
 * One part as both sides have it: which heads, and how the rows of a unit lie on either side.
 *
 * @param name of the part
 * @param sourcePart position in the source's layout
 * @param targetPart position in the target's
 * @param heads how many heads both have
 * @param headBytes bytes of each of them
 * @param source strides of the source
 * @param target strides of the target
 */
record KvPairing(
    String name,
    int sourcePart,
    int targetPart,
    int heads,
    int headBytes,
    Strides source,
    Strides target) {

  /**
   * Where rows lie within a page of one side.
   *
   * @param first where the first common head of token 0 begins
   * @param token bytes from token to token
   * @param head bytes from head to head
   */
  record Strides(long first, long token, long head) {}

  /**
   * The rows of a unit.
   *
   * @param bytes of a row
   * @param count how many
   * @param sourceStride bytes from row to row at the source
   * @param targetStride bytes from row to row at the target
   */
  record Rows(long bytes, int count, long sourceStride, long targetStride) {

    private static Rows one(long bytes) {
      return new Rows(bytes, 1, bytes, bytes);
    }

    /** The same, as an engine takes it. */
    PagedWrite.Rows toCore() {
      return new PagedWrite.Rows(count, bytes, sourceStride, targetStride);
    }

    /** Bytes of the target from the first row to the end of the last one. */
    long targetExtent() {
      return (count - 1) * targetStride + bytes;
    }
  }

  /** The heads that both have; less than one of them if there are none. */
  static KvPairing of(KvLayout source, int sourcePart, KvLayout target, int targetPart) {
    KvPart from = source.parts().get(sourcePart);
    KvPart to = target.parts().get(targetPart);
    int first = Math.max(from.firstHead(), to.firstHead());
    int heads = Math.min(from.endHead(), to.endHead()) - first;
    return new KvPairing(
        from.name(),
        sourcePart,
        targetPart,
        heads,
        from.headBytes(),
        strides(from, first),
        strides(to, first));
  }

  private static Strides strides(KvPart part, int firstHead) {
    long first = (firstHead - part.firstHead()) * part.headStride();
    return new Strides(first, part.tokenStride(), part.headStride());
  }

  /** Of one token. */
  long bytesPerToken() {
    return (long) heads * headBytes;
  }

  /**
   * How many units there are between two page bounds: one, unless the rows of all heads do not
   * follow each other at one stride. The same for any number of tokens.
   */
  int lanes() {
    return headsTogether() || tokensTogether() || (evenly(source) && evenly(target)) ? 1 : heads;
  }

  /** The rows of a unit of so many tokens. */
  Rows rows(int tokens) {
    if (headsTogether()) {
      return rows(bytesPerToken(), tokens, source.token, target.token);
    }
    if (tokensTogether()) {
      return rows((long) tokens * headBytes, heads, source.head, target.head);
    }
    return lanes() == 1
        ? rows(headBytes, Math.multiplyExact(tokens, heads), source.head, target.head)
        : rows(headBytes, tokens, source.token, target.token);
  }

  /** One row, if they follow each other without gaps on both sides. */
  private static Rows rows(long bytes, int count, long sourceStride, long targetStride) {
    boolean together = sourceStride == bytes && targetStride == bytes;
    return count == 1 || together
        ? Rows.one(bytes * count)
        : new Rows(bytes, count, sourceStride, targetStride);
  }

  private boolean headsTogether() {
    return heads == 1 || (source.head == headBytes && target.head == headBytes);
  }

  private boolean tokensTogether() {
    return source.token == headBytes && target.token == headBytes;
  }

  /** Whether the first head of a token lies as far behind the last one of the token before. */
  private boolean evenly(Strides side) {
    return side.token == heads * side.head;
  }
}
