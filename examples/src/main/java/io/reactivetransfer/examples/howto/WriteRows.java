package io.reactivetransfer.examples.howto;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import reactor.core.publisher.Mono;

/** A part of each row of a page, such as the one head of four that a target needs. */
public final class WriteRows {

  private static final int ROWS = 16; // tokens of a page
  private static final long HEAD_BYTES = 64;
  private static final long ROW_BYTES = 4 * HEAD_BYTES;
  private static final int HEAD = 2;

  public static void main(String[] args) {
    TransferEngine origin = TransferEngineBuilder.create().backend("tcp").open().block();
    TransferEngine target = TransferEngineBuilder.create().backend("tcp").open().block();
    try (Arena arena = Arena.ofShared()) {
      // Two pages of 16 rows here; there as many, which have nothing but the one head.
      MemorySegment pages = arena.allocate(2 * ROWS * ROW_BYTES);
      for (long at = 0; at < pages.byteSize(); at += HEAD_BYTES) {
        pages.asSlice(at, HEAD_BYTES).fill((byte) (at % ROW_BYTES / HEAD_BYTES));
      }
      MemorySegment received = arena.allocate(2 * ROWS * HEAD_BYTES);
      MemoryRegion source = origin.register(pages).block();
      RemoteRegion remote = origin.remote(target.register(received).block().descriptor());

      Imm imm = Imm.of(1);
      PageList both = PageList.range(0, 2);
      long first = HEAD * HEAD_BYTES; // where the head begins in the first row of a page
      PagedWrite write =
          PagedWrite.of(
              new PagedWrite.Rows(ROWS, HEAD_BYTES, ROW_BYTES, HEAD_BYTES),
              new PagedWrite.Side<>(
                  source.slice(first, source.length() - first), both, ROWS * ROW_BYTES),
              new PagedWrite.Side<>(remote.whole(), both, ROWS * HEAD_BYTES),
              imm);
      Mono<Void> arrived = target.counter(imm).next(2); // a page counts once, when all rows came
      Mono.when(origin.submit(write), arrived).block();

      for (long at = 0; at < received.byteSize(); at++) {
        if (received.get(ValueLayout.JAVA_BYTE, at) != HEAD) {
          throw new IllegalStateException("expected bytes of head " + HEAD + " alone, at " + at);
        }
      }
      System.out.println("Head " + HEAD + " of " + 2 * ROWS + " rows arrived, and no other.");
      origin.close().then(target.close()).block();
    }
  }
}
