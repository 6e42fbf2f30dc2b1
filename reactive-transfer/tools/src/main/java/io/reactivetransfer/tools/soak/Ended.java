package io.reactivetransfer.tools.soak;

import java.nio.ByteBuffer;

/**
 * What an origin tells of a round.
 *
 * @param round which
 * @param last whether it was not begun, and no more will come
 * @param done a bit for each step that was reported as done
 * @param claimFails whether a counted step is known to have failed after it was taken over
 */
record Ended(int round, boolean last, long done, boolean claimFails) {

  boolean isDone(int step) {
    return (done >>> step & 1) != 0;
  }

  boolean areDone(int steps) {
    return Long.bitCount(done) == steps;
  }

  ByteBuffer toBytes() {
    ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES + Long.BYTES + 2);
    bytes.putInt(round).putLong(done);
    return bytes.put((byte) (last ? 1 : 0)).put((byte) (claimFails ? 1 : 0)).flip();
  }

  static Ended of(ByteBuffer bytes) {
    int round = bytes.getInt();
    long done = bytes.getLong();
    boolean last = bytes.get() == 1;
    return new Ended(round, last, done, bytes.get() == 1);
  }
}
