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

/** Pages of one region to pages of another, by two lists of numbers: one transfer for all. */
public final class WritePages {

  private static final int PAGES = 8;
  private static final long PAGE_BYTES = 4_096;

  public static void main(String[] args) {
    TransferEngine origin = TransferEngineBuilder.create().backend("tcp").open().block();
    TransferEngine target = TransferEngineBuilder.create().backend("tcp").open().block();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment pages = arena.allocate(PAGES * PAGE_BYTES);
      for (int page = 0; page < PAGES; page++) {
        pages.asSlice(page * PAGE_BYTES, PAGE_BYTES).fill((byte) page);
      }
      MemorySegment received = arena.allocate(PAGES * PAGE_BYTES).fill((byte) -1);
      MemoryRegion source = origin.register(pages).block();
      RemoteRegion remote = origin.remote(target.register(received).block().descriptor());

      Imm imm = Imm.of(1);
      PageList from = PageList.of(5, 2, 7);
      PageList to = PageList.of(0, 3, 1); // page 5 becomes page 0, and so on
      PagedWrite write = PagedWrite.of(PAGE_BYTES, source.whole(), from, remote.whole(), to, imm);
      Mono<Void> arrived = target.counter(imm).next(3); // each page counts
      Mono.when(origin.submit(write), arrived).block();

      StringBuilder text = new StringBuilder();
      for (int page = 0; page < 5; page++) {
        text.append(' ').append(received.get(ValueLayout.JAVA_BYTE, page * PAGE_BYTES));
      }
      if (!text.toString().equals(" 5 7 -1 2 -1")) {
        throw new IllegalStateException("expected pages 5, 7 and 2 at their places, got" + text);
      }
      System.out.println("The first five pages of the target hold" + text + ".");
      origin.close().then(target.close()).block();
    }
  }
}
