package io.reactivetransfer.loopback;

import io.reactivetransfer.EngineId;
import java.nio.ByteBuffer;

/**
 * A control message on its way: a copy of what was sent.
 *
 * @param sender who sent it
 * @param bytes read by one receiver, once
 */
record ControlMessage(EngineId sender, ByteBuffer bytes) {

  static ControlMessage copyOf(EngineId sender, ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(bytes.position(), copy);
    return new ControlMessage(sender, ByteBuffer.wrap(copy));
  }
}
