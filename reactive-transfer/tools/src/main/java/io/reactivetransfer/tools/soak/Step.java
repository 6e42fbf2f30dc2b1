package io.reactivetransfer.tools.soak;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Signal;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One transfer of a round.
 *
 * @param kind what is submitted
 * @param sources pages that are read, and
 * @param targets the pages that they come to, in the same order
 */
record Step(Kind kind, List<Integer> sources, List<Integer> targets) {

  /** The most pages of one step. */
  static final int MAX_PAGES = 8;

  /** Every kind of transfer. */
  enum Kind {
    WRITE,
    WRITE_IMM,
    PAGED,
    SCATTER,
    SIGNAL;

    /** Fewest and most pages. */
    int min() {
      return this == SIGNAL ? 0 : 1;
    }

    int max() {
      return switch (this) {
        case SIGNAL -> 0;
        case WRITE, WRITE_IMM -> 1;
        case PAGED, SCATTER -> MAX_PAGES;
      };
    }
  }

  /** Whether the target counts it. */
  boolean isCounted() {
    return kind != Kind.WRITE;
  }

  int arrivals() {
    return switch (kind) {
      case WRITE -> 0;
      case WRITE_IMM, SIGNAL -> 1;
      case PAGED, SCATTER -> targets.size();
    };
  }

  Transfer transfer(MemoryRegion source, RemoteRegion target, long pageBytes, Imm imm) {
    List<Scatter.Part> parts =
        IntStream.range(0, targets.size())
            .mapToObj(i ->
                new Scatter.Part(
                    source.slice(sources.get(i) * pageBytes, pageBytes),
                    target.slice(targets.get(i) * pageBytes, pageBytes)))
            .toList();
    return switch (kind) {
      case WRITE -> Write.of(parts.getFirst().source(), parts.getFirst().target());
      case WRITE_IMM -> WriteImm.of(parts.getFirst().source(), parts.getFirst().target(), imm);
      case PAGED ->
          PagedWrite.of(
              pageBytes, source.whole(), pages(sources), target.whole(), pages(targets), imm);
      case SCATTER -> new Scatter(parts, imm);
      case SIGNAL -> Signal.of(PeerGroup.of(target.peer()), imm);
    };
  }

  private static PageList pages(List<Integer> indices) {
    return PageList.of(indices.stream().mapToInt(Integer::intValue).toArray());
  }
}
