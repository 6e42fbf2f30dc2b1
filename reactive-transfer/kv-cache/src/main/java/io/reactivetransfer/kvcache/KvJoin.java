package io.reactivetransfer.kvcache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs of units of one length, as one transfer over as many pages as possible: where all units of a
 * side lie at multiples of some length, that is the page stride of the transfer. So pages of 64
 * tokens go into pages of 16 in one transfer, not in four.
 */
final class KvJoin {

  private final KvPairing pairing;
  private final KvPairing.Rows rows;
  private final KvSteps source;
  private final KvSteps target;

  private KvJoin(KvPairing pairing, KvPairing.Rows rows, KvSteps source, KvSteps target) {
    this.pairing = pairing;
    this.rows = rows;
    this.source = source;
    this.target = target;
  }

  /**
   * The transfers of all runs, but for where the pages lie.
   *
   * @param sourceStride bytes from page to page at the source
   * @param targetStride bytes from page to page at the target
   */
  static List<KvJoin> of(
      KvPairing pairing, long sourceStride, long targetStride, List<KvRuns.Run> runs) {
    List<KvJoin> joins = new ArrayList<>();
    Map<Integer, KvJoin> open = new HashMap<>();
    for (KvRuns.Run run : runs) {
      KvRuns.At at = run.at();
      KvPairing.Rows rows = pairing.rows(at.tokens());
      long from = at.source() * pairing.source().token();
      long to = at.target() * pairing.target().token();
      KvSteps source = new KvSteps(from, sourceStride, 1, run.sourcePages());
      KvSteps target = new KvSteps(to, targetStride, rows.targetExtent(), run.targetPages());
      KvJoin before = open.get(at.tokens());
      if (before == null || !before.joins(source, target)) {
        KvJoin join = new KvJoin(pairing, rows, source, target);
        joins.add(join);
        open.put(at.tokens(), join);
      }
    }
    return joins;
  }

  /** Takes the units in, if they can be reached at one stride on each side. */
  private boolean joins(KvSteps moreOfSource, KvSteps moreOfTarget) {
    if (!source.canJoin(moreOfSource) || !target.canJoin(moreOfTarget)) {
      return false;
    }
    source.join(moreOfSource);
    target.join(moreOfTarget);
    return true;
  }

  /**
   * The transfer.
   *
   * @param lane which head, if each is a unit; otherwise 0
   * @param from where the pages of the source lie
   * @param to where those of the target lie
   */
  KvTransferPart at(int layer, int lane, KvPlace from, KvPlace to) {
    return new KvTransferPart(
        layer,
        pairing.name(),
        rows.bytes(),
        rows.count(),
        side(from, source, pairing.source(), lane, rows.sourceStride()),
        side(to, target, pairing.target(), lane, rows.targetStride()));
  }

  private static KvTransferPart.Side side(
      KvPlace place, KvSteps steps, KvPairing.Strides strides, int lane, long rowStride) {
    long offset = place.offset() + strides.first() + lane * strides.head() + steps.offset();
    return new KvTransferPart.Side(
        place.region(), offset, steps.stride(), steps.pages(), rowStride);
  }
}
