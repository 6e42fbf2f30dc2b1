package io.reactivetransfer.tools.soak;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.WriteImm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Enters one barrier after the other. Before each, a side writes the number of the round into the
 * other's memory; behind the barrier it must be there. Side 0 says when it is over.
 */
final class BarrierLoop {

  private static final int PAUSE_MILLIS = 2;
  private static final long LAST = 1L << 40;

  private final Node node;
  private final boolean leads;
  private final MemorySegment words;
  private final MemoryRegion region;

  BarrierLoop(Node node, Arena arena, boolean leads) throws InterruptedException {
    this.node = node;
    this.leads = leads;
    this.words = arena.allocate(4 * Long.BYTES, Long.BYTES);
    this.region =
        Objects.requireNonNull(
            node.await().value(node.engine().register(words), "register", "barriers"));
  }

  RegionDescriptor descriptor() {
    return region.descriptor();
  }

  /**
   * Two words are the other's and two are what is written there, for even and odd rounds: who is
   * through a barrier may write for the next one before the other has read.
   */
  void run(RegionDescriptor other) throws InterruptedException {
    RemoteRegion remote = node.engine().remote(other);
    boolean last = false;
    for (long number = 0; !last; number++) {
      String place = "barrier " + number;
      boolean mine = leads && node.isOver();
      int parity = (int) (number & 1);
      Imm imm = Immediates.ofBarriers(parity);
      long theirs = (long) parity * Long.BYTES;
      long source = theirs + 2 * Long.BYTES;
      words.set(ValueLayout.JAVA_LONG, source, number | (mine ? LAST : 0));
      WriteImm write =
          WriteImm.of(region.slice(source, Long.BYTES), remote.slice(theirs, Long.BYTES), imm);
      node.await().value(node.engine().submit(write), "a write before a barrier", place);
      node.await().value(node.engine().barrier(PeerGroup.of(node.peer())), place, place);
      node.await().value(node.engine().counter(imm).next(1), "the arrival before it", place);
      long word = words.get(ValueLayout.JAVA_LONG, theirs);
      if ((word & ~LAST) != number) {
        throw SoakFailure.at(place, "what the other wrote before it", "" + (word & ~LAST), null);
      }
      last = mine || (word & LAST) != 0;
      node.tally().add(Tally.BARRIERS, 1);
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }
    node.await().value(region.close(), "MemoryRegion.close", "barriers");
  }
}
