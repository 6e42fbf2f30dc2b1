package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Memory;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A NIC that is connected with a peer that takes nothing yet. */
final class ConnectedNic implements CompletionSink {

  private static final EngineId OTHER = new EngineId(1, 2);
  private static final int MIB = 1 << 20;
  private static final int PART = 64 << 10;

  final List<Long> written = new ArrayList<>();
  final List<Integer> failed = new ArrayList<>();
  final List<String> texts = new ArrayList<>();
  final List<Integer> imms = new ArrayList<>();
  final List<Integer> lost = new ArrayList<>();
  final FuzzNic nic;
  final FuzzSocket peer;
  final TcpRemoteMemory remote;
  final int begin;

  ConnectedNic(Input in, Devices devices) {
    nic = new FuzzNic(new FuzzNic.Shared(), in, false, devices);
    peer = nic.connected(512);
    says(FuzzHandshake.hello(OTHER, nic.id, 0));
    begin = peer.takenBytes();
    peer.room(0);
    byte[] address = new NicAddress("127.0.0.1", 1).encode();
    remote =
        (TcpRemoteMemory)
            nic.domain.resolve(nic.domain.resolve(OTHER, 0, address), new byte[16], 64 * MIB);
  }

  LocalMemory register(Memory memory, Access access) {
    return nic.domain.register(memory, access).toCompletableFuture().join();
  }

  void says(byte[] bytes) {
    assertThat(peer.readFrom(bytes, 0, bytes.length)).isEqualTo(bytes.length);
  }

  boolean writes(LocalMemory source, int length, long token) {
    Operation op = new Operation().between(source, remote).range(0, 0, length).token(token);
    return nic.domain.post(op.withoutImm()).isTaken();
  }

  void polls() {
    nic.domain.poll(this);
    nic.endTurn();
  }

  /** Where each frame of this type ends within all that the peer took since the handshake. */
  List<Integer> ends(int type) {
    List<Integer> ends = new ArrayList<>();
    ByteBuffer in = ByteBuffer.wrap(peer.taken());
    in.position(begin);
    while (in.remaining() >= Wire.WRITE_BYTES) {
      int at = in.position();
      int frame = in.get(at);
      int bytes =
          switch (frame) {
            case Wire.WRITE -> Wire.WRITE_BYTES + (int) Math.min(PART, in.getLong(at + 30));
            case Wire.MORE -> Wire.MORE_BYTES + in.getInt(at + 1);
            case Wire.ACK -> Wire.ACK_BYTES;
            default -> throw new AssertionError("expected no frame of type " + frame);
          };
      in.position(Math.min(at + bytes, in.limit()));
      if (frame == type) {
        ends.add(at + bytes);
      }
    }
    return ends;
  }

  @Override
  public void written(long token) {
    written.add(token);
  }

  @Override
  public void failed(long token, int code, String text) {
    failed.add(code);
    texts.add(text);
  }

  @Override
  public void immArrived(int imm, long bytes) {
    imms.add(imm);
  }

  @Override
  public void peerLost(EngineId peer, int code, String text) {
    lost.add(code);
  }

  @Override
  public void nicFailed(int code, String text) {
    throw new AssertionError(text);
  }
}
