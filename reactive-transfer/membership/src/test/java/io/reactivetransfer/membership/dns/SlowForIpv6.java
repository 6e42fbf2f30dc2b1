package io.reactivetransfer.membership.dns;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A name server that says 10.0.0.1 to whoever asks for IPv4, and nothing to anybody else. */
final class SlowForIpv6 implements AutoCloseable {

  private static final int HEADER_BYTES = 12;
  private static final byte[] ADDRESS = {
    (byte) 0xc0, HEADER_BYTES, 0, 1, 0, 1, 0, 0, 0x0e, 0x10, 0, 4, 10, 0, 0, 1
  };

  private final DatagramSocket socket;

  SlowForIpv6() throws IOException {
    socket = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    Thread.ofVirtual().start(this::answer);
  }

  InetSocketAddress address() {
    return (InetSocketAddress) socket.getLocalSocketAddress();
  }

  private void answer() {
    DatagramPacket packet = new DatagramPacket(new byte[512], 512);
    try {
      while (true) {
        packet.setLength(512);
        socket.receive(packet);
        int end = endOfQuestion(packet.getData());
        if (packet.getData()[end - 3] == 1) {
          byte[] response = response(packet.getData(), end);
          socket.send(new DatagramPacket(response, response.length, packet.getSocketAddress()));
        }
      }
    } catch (IOException closed) {
      // the test is over
    }
  }

  /** Behind its name come two bytes of its type, and two of its class. */
  private static int endOfQuestion(byte[] query) {
    int at = HEADER_BYTES;
    while (query[at] != 0) {
      at += query[at] + 1;
    }
    return at + 5;
  }

  private static byte[] response(byte[] query, int end) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(query, 0, 2);
    out.write(new byte[] {(byte) 0x81, (byte) 0x80, 0, 1, 0, 1, 0, 0, 0, 0});
    out.write(query, HEADER_BYTES, end - HEADER_BYTES);
    out.write(ADDRESS);
    return out.toByteArray();
  }

  @Override
  public void close() {
    socket.close();
  }
}
