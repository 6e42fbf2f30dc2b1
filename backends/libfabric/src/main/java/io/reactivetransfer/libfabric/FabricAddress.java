package io.reactivetransfer.libfabric;

import io.reactivetransfer.spi.BackendException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Where a NIC is reached. Encoded as a version byte, the provider's name behind its length in one
 * byte, the instance, and to the end what the provider calls the endpoint's name.
 *
 * @param provider those of another one speak another protocol
 * @param instance drawn when the NIC was opened: what was sent to it reaches no later one at the
 *     same place
 * @param name of the endpoint for messages
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record FabricAddress(String provider, long instance, byte[] name) {

  private static final byte VERSION = 1;
  private static final int MAX_NAME_BYTES = 128;

  FabricAddress {
    if (name.length < 1 || name.length > MAX_NAME_BYTES) {
      throw new BackendException(
          0,
          "expected an endpoint's name of 1 to " + MAX_NAME_BYTES + " bytes, got " + name.length);
    }
  }

  byte[] encode() {
    byte[] text = provider.getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(2 + text.length + Long.BYTES + name.length)
        .put(VERSION)
        .put((byte) text.length)
        .put(text)
        .putLong(instance)
        .put(name)
        .array();
  }

  static FabricAddress decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (in.remaining() < 2) {
      throw bad("2 bytes or more", in.remaining() + " bytes");
    }
    byte version = in.get();
    if (version != VERSION) {
      throw bad("version " + VERSION, "version " + Byte.toUnsignedInt(version));
    }
    int length = Byte.toUnsignedInt(in.get());
    int rest = in.remaining() - length - Long.BYTES;
    if (rest < 1 || rest > MAX_NAME_BYTES) {
      throw bad("1 to " + MAX_NAME_BYTES + " bytes of name", rest + " bytes");
    }
    byte[] provider = new byte[length];
    in.get(provider);
    for (byte b : provider) {
      if (b <= ' ' || b == 0x7f) {
        throw bad("printable US-ASCII as provider", "byte " + Byte.toUnsignedInt(b));
      }
    }
    long instance = in.getLong();
    byte[] name = new byte[rest];
    in.get(name);
    return new FabricAddress(new String(provider, StandardCharsets.US_ASCII), instance, name);
  }

  private static BackendException bad(String expected, String got) {
    return new BackendException(
        0, "not the address of a libfabric NIC: expected " + expected + ", got " + got);
  }
}
