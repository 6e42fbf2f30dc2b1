package io.reactivetransfer.tcp;

import io.netty.buffer.Unpooled;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.WriteOp;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A connection of a NIC to a target, and the model of it; what goes to the one goes to the other.
 */
final class OutboundPair {

  private final Input in;
  private final FuzzNic nic;
  private final TcpPeer peer;
  private final TcpRemoteMemory remote;
  private final FuzzSocket socket;
  private final OriginModel model;
  private boolean narrow;
  private boolean cutShort;

  OutboundPair(Input in, FuzzNic nic, EngineId target, int number) {
    this.in = in;
    this.nic = nic;
    byte[] address = new NicAddress("127.0.0.1", 1 + number).encode();
    peer = (TcpPeer) nic.domain.resolve(target, 0, address);
    remote = (TcpRemoteMemory) nic.domain.resolve(peer, in.bytes(16), Long.MAX_VALUE);
    OutboundLink link = new OutboundLink(nic.domain, peer.key());
    peer.link = link;
    socket = nic.connecting(link);
    model = new OriginModel(nic.model, target);
  }

  OriginModel model() {
    return model;
  }

  EngineId target() {
    return peer.key().engine();
  }

  /**
   * Posts a write of bytes that lie there in the ground, which is registered from its beginning.
   */
  void post(LocalMemory source, int offset, int length, long token) {
    boolean hasImm = in.chance(50);
    int imm = hasImm ? in.anyInt() : 0;
    long targetOffset = in.edge();
    WriteOp op =
        new WriteOp().between(source, remote).range(offset, targetOffset, length).token(token);
    boolean mayRefuse =
        !model.isOpen() || !socket.isWritable() || model.inFlight() >= FuzzNic.DEPTH / 4;
    boolean taken = nic.domain.post(hasImm ? op.withImm(imm) : op.withoutImm()).isTaken();
    if (!taken && !mayRefuse || taken && !model.isOpen()) {
      throw new AssertionError("expected the write to be taken, or not: " + taken);
    }
    if (taken) {
      var head = Wire.putWrite(Unpooled.buffer(), hasImm, imm, remote.key(), targetOffset, length);
      model.posted(token, FuzzHandshake.bytes(head), nic.ground.bytes(offset, length));
    }
  }

  /** The target sends these bytes, which come in pieces. */
  void answer(byte[] bytes) {
    int from = 0;
    while (from < bytes.length) {
      int to = in.chance(40) ? bytes.length : from + in.between(1, bytes.length - from);
      int sent = socket.takenBytes();
      int read = socket.readFrom(bytes, from, to);
      model.feed(bytes, from, from + read, sent);
      requireSameState();
      if (read == 0) {
        return;
      }
      from += read;
    }
  }

  void room(int bytes) {
    if (model.isEnded()) {
      return; // what it had to say was said then, or never will be
    }
    narrow = bytes != Integer.MAX_VALUE;
    socket.room(bytes);
  }

  void cut() {
    cutShort |= !model.isEnded();
    socket.end();
    model.end(ErrorCode.BROKEN.value);
  }

  private void requireSameState() {
    if (socket.isOpen() == model.isEnded()) {
      throw new AssertionError(
          "expected the connection to be " + (model.isEnded() ? "ended" : "open"));
    }
    socket.checkException();
    cutShort |= narrow && model.isEnded();
  }

  /** What it sent is what it had to send. */
  void check() {
    requireSameState();
    byte[] expected = new byte[model.sent().readableBytes()];
    model.sent().getBytes(0, expected);
    byte[] sent = socket.taken();
    int same = Arrays.mismatch(sent, expected);
    if (same >= 0 && same < Math.min(sent.length, expected.length)) {
      throw new AssertionError("expected other bytes to be sent, from byte " + same);
    }
    if (!cutShort && !model.isEnded() && sent.length != expected.length) {
      throw new AssertionError(
          "expected " + expected.length + " bytes to be sent, got " + sent.length);
    }
    if (!cutShort && model.goodbye() != 0) {
      requireGoodbye(sent, expected.length);
    } else if (sent.length > expected.length && model.goodbye() == 0) {
      throw new AssertionError("expected nothing behind what was posted");
    }
  }

  private void requireGoodbye(byte[] sent, int at) {
    if (sent.length < at + 5) {
      throw new AssertionError("expected a goodbye");
    }
    ByteBuffer goodbye = ByteBuffer.wrap(sent, at, sent.length - at);
    if (goodbye.get() != 3
        || goodbye.getShort() != model.goodbye()
        || goodbye.getShort() != goodbye.remaining()) {
      throw new AssertionError("expected a goodbye of code " + model.goodbye());
    }
  }
}
