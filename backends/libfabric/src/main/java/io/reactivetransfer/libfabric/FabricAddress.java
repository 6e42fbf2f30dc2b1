package io.reactivetransfer.libfabric;

import io.reactivetransfer.spi.BackendException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What a NIC tells of itself: a version byte, the instance, and to the end the provider's name.
 * Where it is written to, it tells who shows a key.
 *
 * @param provider those of another one cannot be written to
 * @param instance drawn when the NIC was opened
 */
record FabricAddress(String provider, long instance) {

  private static final byte VERSION = 2;
  private static final int MAX_PROVIDER_BYTES = 64;

  byte[] encode() {
    byte[] text = provider.getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(1 + Long.BYTES + text.length)
        .put(VERSION)
        .putLong(instance)
        .put(text)
        .array();
  }

  static FabricAddress decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    byte version = in.hasRemaining() ? in.get() : VERSION;
    if (version != VERSION) {
      throw bad("version " + VERSION, "version " + Byte.toUnsignedInt(version));
    }
    int length = in.remaining() - Long.BYTES;
    if (length < 1 || length > MAX_PROVIDER_BYTES) {
      throw bad(
          "1 to " + MAX_PROVIDER_BYTES + " bytes behind the first 9", bytes.length + " bytes");
    }
    long instance = in.getLong();
    byte[] provider = new byte[length];
    in.get(provider);
    for (byte b : provider) {
      if (b <= ' ' || b == 0x7f) {
        throw bad("printable US-ASCII as provider", "byte " + Byte.toUnsignedInt(b));
      }
    }
    return new FabricAddress(new String(provider, StandardCharsets.US_ASCII), instance);
  }

  private static BackendException bad(String expected, String got) {
    return new BackendException(
        0, "not the address of a libfabric NIC: expected " + expected + ", got " + got);
  }
}
