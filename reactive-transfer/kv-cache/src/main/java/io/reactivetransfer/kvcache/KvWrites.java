package io.reactivetransfer.kvcache;

import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.WriteImm;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Turns finished layers into writes, and checks that every page of every layer comes once. Used by
 * one thread at a time.
 */
final class KvWrites {

  private final KvMemory memory;
  private final OldMessage.Request request;
  private final PageList pages;
  private final MemorySlice tail;
  private final RemoteRegion target;
  private final RemoteSlice targetTail;

  /** One bit for each page of each layer, layer by layer. */
  private final BitSet seen = new BitSet();

  private long arrivals;

  KvWrites(KvPrefill owner, KvRequest request, PageList pages, MemorySlice tail) {
    this.memory = owner.memory;
    this.request = request.message();
    this.pages = pages;
    this.tail = tail;
    this.target = owner.engine.remote(this.request.memory());
    this.targetTail =
        owner
            .engine
            .remote(this.request.tail().region())
            .slice(this.request.tail().offset(), tail.length());
  }

  /** The write of one finished layer, or chunk of it. */
  Transfer pages(FinishedLayer finished) {
    int layer = finished.layer();
    MemorySlice source = memory.layer(layer);
    requireWithin(finished);
    int from = Math.addExact(Math.multiplyExact(layer, pages.size()), finished.first());
    int to = from + finished.pages();
    int before = seen.nextSetBit(from);
    if (before >= 0 && before < to) {
      throw new IllegalArgumentException(
          "expected each page of a layer once, got page "
              + before % pages.size()
              + " of layer "
              + layer
              + " again");
    }
    seen.set(from, to);
    OldLayout theirs = request.layout();
    PagedWrite write =
        PagedWrite.of(
            theirs.pageBytes(),
            source,
            part(pages, finished),
            target.slice(theirs.offset(layer), theirs.layerBytes()),
            part(request.pages(), finished),
            request.imm());
    arrivals += write.arrivals();
    return write;
  }

  private void requireWithin(FinishedLayer finished) {
    if (finished.first() > pages.size() - finished.pages()) {
      throw new IndexOutOfBoundsException(
          "expected a chunk of layer "
              + finished.layer()
              + " within pages 0 to "
              + (pages.size() - 1)
              + " of the request, got "
              + finished.pages()
              + " pages from "
              + finished.first()
              + " on");
    }
  }

  /** The last write. */
  Transfer tail() {
    int missing = memory.layout().layers() * pages.size() - seen.cardinality();
    if (missing > 0) {
      int first = seen.nextClearBit(0);
      throw new IllegalStateException(
          "expected all pages of all layers before the end, got "
              + missing
              + " too few, the first of them in layer "
              + first / pages.size());
    }
    WriteImm write = WriteImm.of(tail, targetTail, request.imm());
    arrivals += write.arrivals();
    return write;
  }

  /** What has been asked of the engine so far will raise decode's counter by so much. */
  long arrivals() {
    return arrivals;
  }

  /** What a finished write was. */
  KvWritten written(Transfer done) {
    if (done instanceof PagedWrite write) {
      long offset = write.source().slice().offset();
      int layer = (int) (offset / memory.layout().layerBytes());
      return new KvWritten.Pages(layer, write.pages(), write.length());
    }
    return new KvWritten.Tail(done.length());
  }

  private static PageList part(PageList list, FinishedLayer finished) {
    if (finished.pages() == list.size()) {
      return list;
    }
    int end = finished.first() + finished.pages();
    return PageList.of(Arrays.copyOfRange(list.toArray(), finished.first(), end));
  }
}
