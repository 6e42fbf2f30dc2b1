package io.reactivetransfer;

/**
 * What registered memory may be used for: rights, as bits. Own transfers may always read it; each
 * bit gives other engines a right.
 *
 * <p>A bit is only ever a permission: whoever does not know one does not use it, and loses nothing.
 * So bits that this version does not know are kept as they came, in a descriptor of another engine;
 * but nothing can be registered with them here.
 */
public final class Access {

  private static final int REMOTE_WRITE_BIT = 1;
  private static final int KNOWN_BITS = REMOTE_WRITE_BIT;
  private static final int MAX_BITS = 0xff;

  /** Source of this engine's own writes only; no remote engine can name it. */
  public static final Access LOCAL = new Access(0);

  /** Source of own writes, and target of the writes of whoever holds the descriptor. */
  public static final Access REMOTE_WRITE = new Access(REMOTE_WRITE_BIT);

  private final int bits;

  private Access(int bits) {
    this.bits = bits;
  }

  /**
   * The rights that these bits stand for, be they known here or not.
   *
   * @param bits 0 to 255, as in a descriptor: 1 for remote writes
   */
  public static Access ofBits(int bits) {
    if (bits < 0 || bits > MAX_BITS) {
      throw new IllegalArgumentException(
          "expected bits of access of 0 to " + MAX_BITS + ", got " + bits);
    }
    return switch (bits) {
      case 0 -> LOCAL;
      case REMOTE_WRITE_BIT -> REMOTE_WRITE;
      default -> new Access(bits);
    };
  }

  /** The bits, as a descriptor has them. */
  public int bits() {
    return bits;
  }

  /** Both rights. */
  public Access and(Access other) {
    return ofBits(bits | other.bits);
  }

  /** Whether all rights of the other one are among these. */
  public boolean allows(Access other) {
    return (bits & other.bits) == other.bits;
  }

  /** Whether a remote engine may write. */
  public boolean allowsRemoteWrite() {
    return allows(REMOTE_WRITE);
  }

  /** Whether each of these rights is one that this version knows. */
  public boolean isKnown() {
    return (bits & ~KNOWN_BITS) == 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Access that && bits == that.bits;
  }

  @Override
  public int hashCode() {
    return bits;
  }

  /** The names of the rights; of those that are not known here, their bits. */
  @Override
  public String toString() {
    if (bits == 0) {
      return "LOCAL";
    }
    String known = allowsRemoteWrite() ? "REMOTE_WRITE" : "";
    int unknown = bits & ~KNOWN_BITS;
    if (unknown == 0) {
      return known;
    }
    return (known.isEmpty() ? "" : known + "|") + "0x" + Integer.toHexString(unknown);
  }
}
