package io.reactivetransfer.ibverbs.ffi;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * The memory of this process as a card sees it: where there is none, that is an error and no end of
 * the process.
 */
final class FakeMemory {

  private static final FileChannel ALL = open();

  private ByteBuffer buffer = ByteBuffer.allocateDirect(0);

  private static FileChannel open() {
    try {
      return FileChannel.open(
          Path.of("/proc/self/mem"), StandardOpenOption.READ, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What is at an address, until the next call of this; null if there is no memory. */
  @Nullable ByteBuffer peek(long address, int length) {
    if (buffer.capacity() < length) {
      buffer = ByteBuffer.allocateDirect(length);
    }
    return read(address, buffer.clear().limit(length));
  }

  /** A copy of what is at an address; null if there is no memory. */
  static @Nullable ByteBuffer read(long address, int length) {
    return read(address, ByteBuffer.allocateDirect(length));
  }

  private static @Nullable ByteBuffer read(long address, ByteBuffer bytes) {
    try {
      while (bytes.hasRemaining()) {
        if (ALL.read(bytes, address + bytes.position()) <= 0) {
          return null;
        }
      }
    } catch (IOException e) {
      return null;
    }
    return bytes.flip();
  }

  /** Whether there was memory for all of it. */
  static boolean write(long address, ByteBuffer bytes) {
    try {
      while (bytes.hasRemaining()) {
        if (ALL.write(bytes, address + bytes.position()) <= 0) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
