package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.Failure;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;

/** The other side, byte by byte: what no proper engine would send. */
final class RawConnection implements AutoCloseable {

  static final EngineId ID = new EngineId(0x1111_1111_1111_1111L, 0x2222_2222_2222_2222L);

  final Socket socket;
  final DataInputStream in;

  RawConnection(Socket socket) {
    this.socket = socket;
    try {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(20_000);
      in = new DataInputStream(socket.getInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Connects to a NIC, and says nothing yet. */
  static RawConnection to(TestNic nic) {
    NicAddress address = NicAddress.decode(nic.address);
    try {
      return new RawConnection(new Socket(address.host(), address.port()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Connects to a NIC and is welcome there. */
  static RawConnection welcomedBy(TestNic nic) {
    return welcomedBy(nic, ID);
  }

  /** The same, as another engine. */
  static RawConnection welcomedBy(TestNic nic, EngineId id) {
    RawConnection raw = to(nic);
    raw.send(out -> Handshake.putHello(out, hello(id, nic)));
    if (raw.reply() instanceof Handshake.Welcome) {
      return raw;
    }
    throw new AssertionError("expected a welcome");
  }

  static Handshake.Hello helloTo(TestNic nic) {
    return hello(ID, nic);
  }

  private static Handshake.Hello hello(EngineId id, TestNic nic) {
    return new Handshake.Hello(id, nic.id, 0, new byte[Authentication.NONCE_BYTES]);
  }

  /** Waits for a NIC to connect. */
  static RawConnection from(ServerSocket server) {
    try {
      return new RawConnection(server.accept());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits for a NIC to connect, and welcomes it. */
  static RawConnection welcoming(ServerSocket server) {
    RawConnection raw = from(server);
    raw.hello();
    raw.send(out -> Handshake.putWelcome(out, new Handshake.Welcome(ID, null)));
    return raw;
  }

  static NicAddress addressOf(ServerSocket server) {
    return new NicAddress("127.0.0.1", server.getLocalPort());
  }

  Handshake.Hello hello() {
    ByteBuffer head = ByteBuffer.wrap(read(Handshake.HEAD_BYTES));
    return Handshake.hello(read(Handshake.helloBody(head)));
  }

  Handshake.Reply reply() {
    ByteBuffer head = ByteBuffer.wrap(read(Handshake.HEAD_BYTES));
    byte[] body = read(Handshake.replyBody(head));
    return Handshake.reply(head, body);
  }

  /** The acknowledgement that must come next. */
  long ack() {
    expect(Wire.ACK);
    return ByteBuffer.wrap(read(8)).getLong();
  }

  /** The refusal that must come next: its number and reason. */
  Failure nack(long number) {
    expect(Wire.NACK);
    ByteBuffer head = ByteBuffer.wrap(read(12));
    if (head.getLong() != number) {
      throw new AssertionError("expected the refusal of " + number);
    }
    int code = head.getShort();
    return new Failure(code, Wire.text(read(head.getShort())));
  }

  /** The goodbye that must come next. */
  Failure goodbye() {
    expect(Wire.GOODBYE);
    ByteBuffer head = ByteBuffer.wrap(read(4));
    int code = head.getShort();
    return new Failure(code, Wire.text(read(head.getShort())));
  }

  private void expect(int type) {
    int got = read(1)[0];
    if (got != type) {
      throw new AssertionError("expected a frame of type " + type + ", got " + got);
    }
  }

  byte[] read(int bytes) {
    try {
      byte[] all = new byte[bytes];
      in.readFully(all);
      return all;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether the other side has closed; takes a byte if it has not. */
  boolean isAtEnd() {
    try {
      return in.read() < 0;
    } catch (IOException e) {
      return true; // reset
    }
  }

  /** Reads on until the other side has closed, and keeps nothing of it. */
  void readToEnd() {
    byte[] some = new byte[1 << 16];
    try {
      while (in.read(some) >= 0) {}
    } catch (SocketTimeoutException e) {
      throw new UncheckedIOException(e);
    } catch (IOException e) {
      return; // reset
    }
  }

  void send(int... bytes) {
    byte[] all = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      all[i] = (byte) bytes[i];
    }
    send(all);
  }

  void send(byte... bytes) {
    try {
      socket.getOutputStream().write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void send(Consumer<ByteBuf> frame) {
    ByteBuf out = Unpooled.buffer();
    frame.accept(out);
    byte[] bytes = new byte[out.readableBytes()];
    out.readBytes(bytes);
    send(bytes);
  }

  void writeHead(byte[] key, long offset, long length, Integer imm) {
    send(out ->
        Wire.putWrite(
            out, imm != null, imm == null ? 0 : imm, MemoryKey.decode(key), offset, length));
  }

  /** The bytes of a write as they are sent: behind the first ones, the others are one part. */
  static byte[] inParts(byte[] bytes) {
    if (bytes.length <= Wire.FIRST_PART_BYTES) {
      return bytes;
    }
    byte[] rest = Arrays.copyOfRange(bytes, Wire.FIRST_PART_BYTES, bytes.length);
    byte[] more = more(rest);
    byte[] all = Arrays.copyOf(bytes, Wire.FIRST_PART_BYTES + more.length);
    System.arraycopy(more, 0, all, Wire.FIRST_PART_BYTES, more.length);
    return all;
  }

  /** Another part. */
  static byte[] more(byte[] part) {
    ByteBuf out = Wire.putMore(Unpooled.buffer(), part.length).writeBytes(part);
    return FuzzHandshake.bytes(out);
  }

  /** Closes as a dying process does. */
  void reset() {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
