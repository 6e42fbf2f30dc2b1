package io.reactivetransfer.ibverbs;

import io.reactivetransfer.ibverbs.ffi.Gid;
import io.reactivetransfer.ibverbs.ffi.Ib;
import io.reactivetransfer.spi.BackendException;
import java.nio.ByteBuffer;

/**
 * Where a NIC is found. On the wire: a version, the link layer and the MTU in a byte each, the LID
 * in 2 bytes, the GID in 16.
 *
 * @param linkLayer such as {@link Ib#IBV_LINK_LAYER_ETHERNET}
 * @param mtu the longest packet, such as {@link Ib#IBV_MTU_4096}
 * @param lid its address where a subnet manager gives addresses, else 0
 * @param gid over Ethernet an IPv6 address, or an IPv4 one within it
 */
record VerbsAddress(int linkLayer, int mtu, int lid, Gid gid) {

  static final int VERSION = 1;

  private static final int BYTES = 3 + Short.BYTES + Gid.BYTES;

  byte[] encode() {
    ByteBuffer out =
        ByteBuffer.allocate(BYTES)
            .put((byte) VERSION)
            .put((byte) linkLayer)
            .put((byte) mtu)
            .putShort((short) lid);
    return gid.put(out).array();
  }

  static VerbsAddress decode(byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new BackendException(
          0, "not the address of a verbs NIC: expected " + BYTES + " bytes, got " + bytes.length);
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    int version = in.get();
    if (version != VERSION) {
      throw new BackendException(
          0,
          "expected version "
              + VERSION
              + " of the address of a verbs NIC, got "
              + version
              + "; let both sides run the same release");
    }
    int linkLayer = in.get();
    int mtu = in.get();
    if (mtu < Ib.IBV_MTU_256 || mtu > Ib.IBV_MTU_4096) {
      throw new BackendException(0, "expected an MTU of code 1 to 5 in an address, got " + mtu);
    }
    int lid = Short.toUnsignedInt(in.getShort());
    return new VerbsAddress(linkLayer, mtu, lid, Gid.read(in));
  }

  /** Whether a global route is taken: always over Ethernet, and where nobody has given a LID. */
  boolean isGlobal() {
    return linkLayer == Ib.IBV_LINK_LAYER_ETHERNET || lid == 0;
  }

  /** Bytes of a packet, as people say it. */
  static int mtuBytes(int code) {
    return 128 << code;
  }

  @Override
  public String toString() {
    return isGlobal() ? gid.toString() : "LID " + lid;
  }
}
