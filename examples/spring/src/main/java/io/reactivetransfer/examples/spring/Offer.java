package io.reactivetransfer.examples.spring;

import io.reactivetransfer.Imm;
import io.reactivetransfer.RegionDescriptor;
import java.nio.ByteBuffer;

/**
 * What a node tells a peer: where the peer may write, and under which immediate it is counted.
 *
 * @param region memory of the node that sends it
 * @param imm counted there
 */
record Offer(RegionDescriptor region, Imm imm) {

  ByteBuffer toMessage() {
    byte[] descriptor = region.toBytes();
    return ByteBuffer.allocate(Integer.BYTES + descriptor.length)
        .putInt(imm.value())
        .put(descriptor)
        .flip();
  }

  /** Throws an exception if it is anything else: who sends is trusted no more than the network. */
  static Offer ofMessage(ByteBuffer message) {
    Imm imm = Imm.of(message.getInt());
    byte[] descriptor = new byte[message.remaining()];
    message.get(descriptor);
    return new Offer(RegionDescriptor.fromBytes(descriptor), imm);
  }
}
