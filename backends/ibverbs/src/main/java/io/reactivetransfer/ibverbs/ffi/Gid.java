package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * The address of a port. Over Ethernet it is an IPv6 address, or an IPv4 one within such.
 *
 * @param high its first 8 bytes, in network order
 * @param low its last 8 bytes
 */
public record Gid(long high, long low) {

  /** Bytes of a GID. */
  public static final int BYTES = 2 * Long.BYTES;

  private static final long IPV4_PREFIX = 0xffffL;
  private static final long LINK_LOCAL_BITS = 0xffc0L << 48;
  private static final long LINK_LOCAL = 0xfe80L << 48;

  /**
   * From an IPv4 or IPv6 address as people write it.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static Gid of(String literal) {
    byte[] bytes = InetAddress.ofLiteral(literal).getAddress();
    ByteBuffer in = ByteBuffer.wrap(bytes);
    return bytes.length == BYTES
        ? read(in)
        : new Gid(0, IPV4_PREFIX << Integer.SIZE | Integer.toUnsignedLong(in.getInt()));
  }

  static Gid at(long address) {
    byte[] bytes = new byte[BYTES];
    Raw.get(address, bytes);
    return read(ByteBuffer.wrap(bytes));
  }

  /** The next one in a buffer. */
  public static Gid read(ByteBuffer in) {
    return new Gid(in.getLong(), in.getLong());
  }

  /** Puts it into a buffer. */
  public ByteBuffer put(ByteBuffer out) {
    return out.putLong(high).putLong(low);
  }

  byte[] bytes() {
    return put(ByteBuffer.allocate(BYTES)).array();
  }

  /** Whether it is an IPv4 address. */
  public boolean isIpv4() {
    return high == 0 && low >>> Integer.SIZE == IPV4_PREFIX;
  }

  /** Whether it is good for one link only. */
  public boolean isLinkLocal() {
    return (high & LINK_LOCAL_BITS) == LINK_LOCAL;
  }

  /** As people write it. */
  @Override
  public String toString() {
    try {
      return InetAddress.getByAddress(bytes()).getHostAddress();
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e); // of 16 bytes, there is no such thing
    }
  }
}
