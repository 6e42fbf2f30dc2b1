package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Piece;
import io.reactivetransfer.weights.Place;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.TargetRank;
import io.reactivetransfer.weights.TargetShare;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Makes the table by which an inference rank writes what it serves to others that have the same
 * part of the model: each piece to where it lies itself. A pure function, as {@link Planner} is.
 */
public final class FillTable {

  /** A run has at most so many bytes, unless one of its rows has more. */
  private static final long RUN_BYTES = 64L << 20;

  /** There are no collectives of a trainer that could be in the way. */
  private static final String GROUP = "served";

  private FillTable() {}

  /**
   * The table. Its only source is the peer, and every step writes.
   *
   * @param peer the rank that serves
   * @param others those that may be filled from it
   * @throws PlanRefusedException if one of them does not hold the same tensors at the same places,
   *     with the same content; it names the tensor
   * @throws IllegalArgumentException if there is no other rank, two of one name, or the peer is
   *     among them
   */
  public static RoutingTable of(TargetRank peer, List<TargetRank> others) {
    List<Rank> to = others.stream().map(TargetRank::rank).toList();
    String name = peer.rank().name();
    if (to.isEmpty()) {
      throw new IllegalArgumentException(
          "expected 1 or more ranks to be filled from " + name + ", got none");
    }
    if (to.stream().anyMatch(rank -> rank.name().equals(name))) {
      throw new IllegalArgumentException(
          "expected other ranks than " + name + " to be filled from it, got that one, too");
    }
    others.forEach(other -> requireSame(peer, other));
    int[] ranks = IntStream.range(0, to.size()).toArray();
    List<TableTensor> tensors = new ArrayList<>();
    List<Step> steps = new ArrayList<>();
    RunCutter cutter = new RunCutter();
    for (int i = 0; i < peer.tensors().size(); i++) {
      TargetShare share = peer.tensors().get(i);
      tensors.add(new TableTensor(share.tensor(), 0, null, -1));
      Runs.Builder runs = Runs.builder();
      share.pieces().forEach(piece -> cut(cutter, share, piece, ranks, runs));
      steps.add(new Step.Write(i, i, bounded(runs.build(), ranks)));
    }
    return new RoutingTable(
        List.of(peer.rank()), to, List.of(GROUP), tensors, List.of(), List.of(steps));
  }

  private static void requireSame(TargetRank peer, TargetRank other) {
    Map<String, TargetShare> shares = new LinkedHashMap<>();
    peer.tensors().forEach(share -> shares.put(share.tensor().name(), share));
    for (TargetShare share : other.tensors()) {
      String name = share.tensor().name();
      TargetShare ofPeer = shares.remove(name);
      if (!share.equals(ofPeer)) {
        throw refused(name, peer, other, ofPeer == null ? "one that has none of it" : "another");
      }
    }
    if (!shares.isEmpty()) {
      throw refused(shares.keySet().iterator().next(), peer, other, "one that has more than that");
    }
  }

  private static PlanRefusedException refused(
      String tensor, TargetRank peer, TargetRank other, String got) {
    return new PlanRefusedException(
        tensor,
        "expected a rank with the same part of tensor "
            + tensor
            + " at the same place as rank "
            + other.rank().name()
            + ", got "
            + got
            + ", rank "
            + peer.rank().name()
            + "; trainers have to fill it");
  }

  private static void cut(
      RunCutter cutter, TargetShare share, Piece piece, int[] ranks, Runs.Builder to) {
    Place place = piece.place();
    long[] strides = place.strides();
    cutter
        .between(place.region(), ranks, place.region())
        .cut(
            piece.box(),
            share.tensor().type().bits(),
            place.offset(),
            strides,
            place.offset(),
            strides,
            to);
  }

  /** So that what is written to a rank is not one write, whatever a tensor's size. */
  private static Runs bounded(Runs runs, int[] ranks) {
    Runs.Builder to = Runs.builder();
    for (int run = 0; run < runs.size(); run++) {
      long rowBytes = runs.rowBytes(run);
      if (runs.rows(run) == 1) {
        for (long at = 0; at < rowBytes; at += RUN_BYTES) {
          from(runs, run, ranks, at, to);
          to.rows(Math.min(RUN_BYTES, rowBytes - at), 1, 1, 1);
        }
        continue;
      }
      long stride = runs.sourceStride(run);
      long most = Math.max(1, RUN_BYTES / rowBytes);
      for (long row = 0; row < runs.rows(run); row += most) {
        from(runs, run, ranks, row * stride, to);
        to.rows(rowBytes, Math.min(most, runs.rows(run) - row), stride, stride);
      }
    }
    return to.build();
  }

  private static void from(Runs runs, int run, int[] ranks, long behind, Runs.Builder to) {
    long at = runs.sourceOffset(run) + behind;
    to.from(ranks, runs.sourceRegion(run), at, runs.targetRegion(run), at);
  }
}
