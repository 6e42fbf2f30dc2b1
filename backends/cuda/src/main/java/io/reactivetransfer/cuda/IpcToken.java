package io.reactivetransfer.cuda;

import io.reactivetransfer.cuda.ffi.Cu;
import java.nio.ByteBuffer;

/**
 * What one process tells another of memory that it lets it use: 4 bytes that say what this is, and
 * which version of it, the GPU, where in the allocation the memory begins, how long it is, and the
 * driver's handle of the allocation. Numbers have the highest byte first.
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares it
record IpcToken(byte[] uuid, long offset, long length, byte[] handle) {

  static final int BYTES = 2 * Long.BYTES + Integer.BYTES + Cu.UUID_BYTES + Cu.CU_IPC_HANDLE_SIZE;

  /** "RTC" and a version. */
  private static final int MAGIC = 0x52544301;

  byte[] encode() {
    return ByteBuffer.allocate(BYTES)
        .putInt(MAGIC)
        .put(uuid)
        .putLong(offset)
        .putLong(length)
        .put(handle)
        .array();
  }

  /**
   * Of what another process gave.
   *
   * @throws IllegalArgumentException if it is none
   */
  static IpcToken decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (bytes.length != BYTES || in.getInt() != MAGIC) {
      throw new IllegalArgumentException(
          "expected "
              + BYTES
              + " bytes that CudaIpc.export gave in another process, got "
              + bytes.length
              + " bytes that are something else");
    }
    byte[] uuid = new byte[Cu.UUID_BYTES];
    byte[] handle = new byte[Cu.CU_IPC_HANDLE_SIZE];
    in.get(uuid);
    long offset = in.getLong();
    long length = in.getLong();
    in.get(handle);
    if (offset < 0 || length <= 0 || offset > Long.MAX_VALUE - length) {
      throw new IllegalArgumentException(
          "expected memory of 1 byte or more within one allocation, got "
              + length
              + " bytes at offset "
              + offset);
    }
    return new IpcToken(uuid, offset, length, handle);
  }
}
