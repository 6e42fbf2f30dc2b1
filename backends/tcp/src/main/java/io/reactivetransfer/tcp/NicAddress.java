package io.reactivetransfer.tcp;

import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.SocketConnection;
import io.reactivetransfer.spi.BackendException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Where a NIC listens: an IPv4 or IPv6 address or a name, and a port. Encoded as a version byte,
 * the port in two bytes, and the host as US-ASCII to the end.
 *
 * @param host without brackets
 * @param port 1 to 65,535
 */
record NicAddress(String host, int port) {

  private static final byte VERSION = 1;
  private static final int HEAD_BYTES = 3;
  static final int MAX_HOST_BYTES = 253;

  static NicAddress decode(byte[] bytes) {
    if (bytes.length <= HEAD_BYTES || bytes.length > HEAD_BYTES + MAX_HOST_BYTES) {
      throw bad("4 to 256 bytes", bytes.length + " bytes");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    byte version = in.get();
    if (version != VERSION) {
      throw bad("version " + VERSION, "version " + Byte.toUnsignedInt(version));
    }
    int port = Short.toUnsignedInt(in.getShort());
    if (port == 0) {
      throw bad("a port of 1 to 65535", "port 0");
    }
    for (int i = HEAD_BYTES; i < bytes.length; i++) {
      if (bytes[i] <= ' ' || bytes[i] == 0x7f) {
        throw bad("printable US-ASCII as host", "byte " + Byte.toUnsignedInt(bytes[i]));
      }
    }
    String host =
        new String(bytes, HEAD_BYTES, bytes.length - HEAD_BYTES, StandardCharsets.US_ASCII);
    if (host.indexOf('[') >= 0 || host.indexOf(']') >= 0) {
      throw bad("a host without brackets", host);
    }
    return new NicAddress(host, port);
  }

  byte[] encode() {
    byte[] name = host.getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(HEAD_BYTES + name.length)
        .put(VERSION)
        .putShort((short) port)
        .put(name)
        .array();
  }

  /** For a connect. */
  InetSocketAddress toSocketAddress() {
    return SocketConnection.address(host, port);
  }

  /** As people write it: {@code host:port}, with brackets around an IPv6 address. */
  @Override
  public String toString() {
    return host.indexOf(':') < 0 ? host + ":" + port : "[" + host + "]:" + port;
  }

  private static BackendException bad(String expected, String got) {
    return new BackendException(
        ErrorCode.PROTOCOL.value,
        "not the address of a tcp NIC: expected " + expected + ", got " + got);
  }
}
