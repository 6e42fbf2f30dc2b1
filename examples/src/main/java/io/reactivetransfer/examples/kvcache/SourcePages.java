package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.PageList;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Fills the source pages: with a file's bytes, or with random ones. */
final class SourcePages {

  private SourcePages() {}

  /** Fills the pages in order, layer by layer, and the tail with their checksums. */
  static void fill(Node node, PageList pages, Plan plan) throws IOException {
    Path file = plan.file();
    if (file == null) {
      fill(node, pages, plan, MemorySegment.NULL);
      node.tail.seal(plan.shape().bytes());
      return;
    }
    try (Arena arena = Arena.ofConfined();
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      long length = channel.size();
      if (length > plan.shape().bytes()) {
        throw new IOException(file + " has grown since it was looked at");
      }
      MemorySegment content =
          length == 0
              ? MemorySegment.NULL
              : channel.map(FileChannel.MapMode.READ_ONLY, 0, length, arena);
      fill(node, pages, plan, content);
      node.tail.seal(length);
    }
  }

  private static void fill(Node node, PageList pages, Plan plan, MemorySegment content) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment page = arena.allocate(plan.shape().pageBytes());
      for (int i = 0; i < plan.shape().allPages(); i++) {
        if (plan.file() == null) {
          fillRandomly(page, plan.seed() * 0x1_0000_0001L + i);
        } else {
          long from = Math.min(i * page.byteSize(), content.byteSize());
          long length = Math.min(page.byteSize(), content.byteSize() - from);
          MemorySegment.copy(content, from, page, 0, length);
          page.asSlice(length).fill((byte) 0);
        }
        int layer = i / pages.size();
        int at = pages.get(i % pages.size());
        MemorySegment into = node.page(layer, at);
        put(page, into, plan.shape());
        node.put(layer, at, into);
        node.tail.setChecksum(i, TailBuffer.crc(page));
      }
    }
  }

  /**
   * Where decode has one of two heads it is the second one, and the first one's bytes are not 0.
   */
  private static void put(MemorySegment page, MemorySegment into, Shape shape) {
    if (shape.rows() == 1) {
      into.copyFrom(page);
      return;
    }
    into.fill((byte) 0x77);
    for (int row = 0; row < shape.rows(); row++) {
      long at = row * shape.rowBytes();
      MemorySegment.copy(page, at, into, 2 * at + shape.rowBytes(), shape.rowBytes());
    }
  }

  /** A mixed counter; what is behind the last whole word stays zero. */
  private static void fillRandomly(MemorySegment page, long seed) {
    long state = seed;
    for (long at = 0; at + Long.BYTES <= page.byteSize(); at += Long.BYTES) {
      state += 0x9E3779B97F4A7C15L;
      long mixed = (state ^ (state >>> 32)) * 0xD6E8FEB86659FD93L;
      page.set(ValueLayout.JAVA_LONG_UNALIGNED, at, mixed ^ (mixed >>> 32));
    }
  }
}
