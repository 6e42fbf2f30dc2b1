package io.reactivetransfer.cuda;

import io.reactivetransfer.cuda.ffi.Cu;
import java.nio.ByteBuffer;

/**
 * What one process tells another of memory that it lets it use: 3 bytes that say what this is, and
 * one with the version of it, the GPU, where in the allocation the memory begins, how long it is,
 * the driver's handle of the allocation, and which process that is: its namespace, its number
 * there, and when it began. Numbers have the highest byte first.
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares it
record IpcToken(byte[] uuid, long offset, long length, byte[] handle, Exporter exporter) {

  static final int BYTES = 5 * Long.BYTES + Integer.BYTES + Cu.UUID_BYTES + Cu.CU_IPC_HANDLE_SIZE;

  /** "RTC". */
  private static final int MAGIC = 0x525443;

  /** The first one named no process. */
  private static final int VERSION = 2;

  byte[] encode() {
    return ByteBuffer.allocate(BYTES)
        .putInt(MAGIC << Byte.SIZE | VERSION)
        .put(uuid)
        .putLong(offset)
        .putLong(length)
        .put(handle)
        .putLong(exporter.namespace())
        .putLong(exporter.pid())
        .putLong(exporter.started())
        .array();
  }

  /**
   * Of what another process gave.
   *
   * @throws IllegalArgumentException if it is none
   */
  static IpcToken decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    int begin = bytes.length < Integer.BYTES ? 0 : in.getInt();
    int version = begin & 0xff;
    if (begin >>> Byte.SIZE == MAGIC && version != VERSION) {
      throw new IllegalArgumentException(
          "expected what CudaIpc.export gives in version "
              + VERSION
              + ", got version "
              + version
              + "; have both processes use one version of reactive-transfer-cuda");
    }
    if (bytes.length != BYTES || begin >>> Byte.SIZE != MAGIC) {
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
    Exporter exporter = new Exporter(in.getLong(), in.getLong(), in.getLong());
    if (offset < 0 || length <= 0 || offset > Long.MAX_VALUE - length) {
      throw new IllegalArgumentException(
          "expected memory of 1 byte or more within one allocation, got "
              + length
              + " bytes at offset "
              + offset);
    }
    return new IpcToken(uuid, offset, length, handle, exporter);
  }
}
