package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.PageList;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.BitSet;

/** Looks at what arrived, page by page. */
final class TargetPages {

  /** No page can pass for written that was not, unless it is all this. */
  private static final byte BLANK = 0x5a;

  private final Node node;
  private final Plan plan;
  private final TailBuffer tail;

  /**
   * Of one hand-over.
   *
   * @param tail where its tail went
   */
  TargetPages(Node node, Plan plan, TailBuffer tail) {
    this.node = node;
    this.plan = plan;
    this.tail = tail;
  }

  void blank() {
    node.pages.fill(BLANK);
  }

  /** Compares the checksum of every page with the one that was computed from its source. */
  void requireIdentical(PageList pages) throws IOException {
    if (!tail.isSealed() || tail.fileBytes() > plan.shape().bytes()) {
      throw new IOException("the tail is damaged");
    }
    for (int i = 0; i < plan.shape().allPages(); i++) {
      int layer = i / pages.size();
      int page = pages.get(i % pages.size());
      if (TailBuffer.crc(node.page(layer, page)) != tail.checksum(i)) {
        throw new IOException("page " + page + " of layer " + layer + " is not what was sent");
      }
    }
  }

  /** Nothing was written beside the pages that were reserved; returns how many were looked at. */
  int requireSparesUntouched(PageList pages) throws IOException {
    BitSet reserved = new BitSet();
    for (int i = 0; i < pages.size(); i++) {
      reserved.set(pages.get(i));
    }
    int untouched = 0;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment blank = arena.allocate(plan.shape().pageBytes()).fill(BLANK);
      for (int page = 0; page < node.memory.layout().pages(); page++) {
        for (int layer = 0; layer < plan.shape().layers() && !reserved.get(page); layer++) {
          if (node.page(layer, page).mismatch(blank) >= 0) {
            throw new IOException("spare page " + page + " of layer " + layer + " was written to");
          }
          untouched++;
        }
      }
    }
    return untouched;
  }

  /** Writes the pages in order, as many bytes as the tail says that there are. */
  long writeTo(Path out, PageList pages) throws IOException {
    long total = tail.fileBytes();
    try (FileChannel channel =
        FileChannel.open(
            out,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      long left = total;
      for (int i = 0; left > 0; i++) {
        MemorySegment page = node.page(i / pages.size(), pages.get(i % pages.size()));
        ByteBuffer content = page.asSlice(0, Math.min(left, page.byteSize())).asByteBuffer();
        left -= content.remaining();
        while (content.hasRemaining()) {
          channel.write(content);
        }
      }
    }
    return total;
  }
}
