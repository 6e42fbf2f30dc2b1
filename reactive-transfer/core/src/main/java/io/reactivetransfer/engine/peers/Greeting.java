package io.reactivetransfer.engine.peers;

import io.reactivetransfer.DescriptorFormatException;
import io.reactivetransfer.Nic;
import io.reactivetransfer.PeerAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The first thing that engines say to each other in a session: who they are, and by which NICs they
 * are written to.
 *
 * @param epoch which acquaintance with the receiver this is for the sender, a number other than 0
 *     that changes when the sender has forgotten the receiver and begins anew
 * @param known the number that the receiver gave last in this session, or 0
 * @param longest the longest message that the sender takes, in bytes
 * @param address of the sender
 * @param nics of the sender
 */
public record Greeting(int epoch, int known, int longest, PeerAddress address, List<PeerNic> nics) {

  private static final int FIXED_BYTES = 3 * Integer.BYTES + Short.BYTES + 1;

  /** As a control frame. */
  public ByteBuffer toFrame() {
    byte[] name = address.toBytes();
    int bytes = ControlFrame.HEADER_BYTES + FIXED_BYTES + name.length;
    for (PeerNic nic : nics) {
      bytes += 2 * Short.BYTES + nic.address().length + nic.doorbellKey().length;
    }
    ByteBuffer frame = ByteBuffer.allocate(bytes).put(ControlFrame.HELLO);
    frame.putInt(epoch).putInt(known).putInt(longest);
    put(frame, name);
    frame.put((byte) nics.size());
    for (PeerNic nic : nics) {
      put(frame, nic.address());
      put(frame, nic.doorbellKey());
    }
    return frame.flip();
  }

  /**
   * Reads what is behind the kind of a frame.
   *
   * @throws DescriptorFormatException if it is anything else
   */
  static Greeting read(ByteBuffer in) {
    if (in.remaining() < FIXED_BYTES) {
      throw malformed("at least " + FIXED_BYTES + " bytes, got " + in.remaining());
    }
    int epoch = in.getInt();
    int known = in.getInt();
    int longest = in.getInt();
    if (epoch == 0) {
      throw malformed("a number other than 0 for the acquaintance, got 0");
    }
    if (longest < 1) {
      throw malformed("a longest message of 1 byte or more, got " + longest);
    }
    PeerAddress address = PeerAddress.fromBytes(take(in, ControlFrame.MAX_HELLO_BYTES));
    int count = in.hasRemaining() ? in.get() : 0;
    if (count < 1 || count > Nic.MAX_PER_ENGINE) {
      throw malformed("1 to " + Nic.MAX_PER_ENGINE + " NICs, got " + count);
    }
    List<PeerNic> nics = new ArrayList<>(count);
    for (int nic = 0; nic < count; nic++) {
      byte[] where = take(in, PeerNic.MAX_ADDRESS_BYTES);
      nics.add(new PeerNic(where, take(in, PeerNic.MAX_KEY_BYTES)));
    }
    if (in.hasRemaining()) {
      throw malformed("no bytes behind the last NIC, got " + in.remaining());
    }
    return new Greeting(epoch, known, longest, address, List.copyOf(nics));
  }

  private static void put(ByteBuffer out, byte[] bytes) {
    out.putShort((short) bytes.length).put(bytes);
  }

  private static byte[] take(ByteBuffer in, int max) {
    int length = in.remaining() < Short.BYTES ? 0 : Short.toUnsignedInt(in.getShort());
    if (length < 1 || length > Math.min(max, in.remaining())) {
      throw malformed("a field of 1 to " + Math.min(max, in.remaining()) + " bytes, got " + length);
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }

  private static DescriptorFormatException malformed(String text) {
    return new DescriptorFormatException("not a greeting: expected " + text);
  }
}
