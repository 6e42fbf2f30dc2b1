package io.reactivetransfer.tools.soak;

import io.reactivetransfer.Imm;
import io.reactivetransfer.RegionDescriptor;
import java.nio.ByteBuffer;

/**
 * What a target tells when a round may begin.
 *
 * @param round which
 * @param imm what it counts
 * @param region where to write
 */
record Ready(int round, Imm imm, RegionDescriptor region) {

  ByteBuffer toBytes() {
    byte[] descriptor = region.toBytes();
    ByteBuffer bytes = ByteBuffer.allocate(2 * Integer.BYTES + descriptor.length);
    return bytes.putInt(round).putInt(imm.value()).put(descriptor).flip();
  }

  static Ready of(ByteBuffer bytes) {
    int round = bytes.getInt();
    Imm imm = Imm.of(bytes.getInt());
    byte[] descriptor = new byte[bytes.remaining()];
    bytes.get(descriptor);
    return new Ready(round, imm, RegionDescriptor.fromBytes(descriptor));
  }
}
