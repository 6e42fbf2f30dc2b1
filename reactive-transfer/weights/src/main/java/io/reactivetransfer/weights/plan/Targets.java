package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.Piece;
import io.reactivetransfer.weights.TargetRank;
import io.reactivetransfer.weights.TargetShare;
import io.reactivetransfer.weights.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the ranks of the inference engine want, tensor by tensor, in the order they name them. */
final class Targets {

  private final Map<String, Wanted> tensors = new LinkedHashMap<>();

  /**
   * One tensor.
   *
   * @param places what is wanted, where and by whom
   */
  record Wanted(Tensor tensor, Content content, List<Wish> places) {

    /** Bytes of all pieces of all ranks. */
    long bytes() {
      long bytes = 0;
      for (Wish wish : places) {
        bytes += tensor.type().bytes(wish.piece().box().elements()) * wish.ranks().length;
      }
      return bytes;
    }
  }

  /** A piece that ranks want at the same place of their memory, as replicas mostly do. */
  static final class Wish {

    private final Piece piece;
    private final int[] ranks;

    Wish(Piece piece, int[] ranks) {
      this.piece = piece;
      this.ranks = ranks;
    }

    Piece piece() {
      return piece;
    }

    /** Who wants it; they rise, and are not changed by anybody. */
    int[] ranks() {
      return ranks;
    }

    Box box() {
      return piece.box();
    }

    /** Bytes in front of the first element of a box, which is part of the piece. */
    long offset(Box box, int bits) {
      return new Holding(0, piece, true).offset(box, bits);
    }
  }

  /** Refuses ranks that say different things of one tensor, and a tensor that is not whole. */
  Targets(List<TargetRank> ranks) {
    Map<String, List<Holding>> holdings = new LinkedHashMap<>();
    Map<String, TargetShare> first = new LinkedHashMap<>();
    for (int rank = 0; rank < ranks.size(); rank++) {
      String rankName = ranks.get(rank).rank().name();
      for (TargetShare share : ranks.get(rank).tensors()) {
        String name = share.tensor().name();
        requireAlike(first.computeIfAbsent(name, _ -> share), share, rankName);
        List<Holding> of = holdings.computeIfAbsent(name, _ -> new ArrayList<>());
        for (Piece piece : share.pieces()) {
          of.add(new Holding(rank, piece, true));
        }
      }
    }
    first.forEach((name, share) -> {
      List<Holding> of = holdings.getOrDefault(name, List.of());
      Cells.requireWhole(share.tensor(), Cells.apart(Cells.sameBoxes(of)), "inference engine");
      tensors.put(name, new Wanted(share.tensor(), share.content(), samePlaces(of)));
    });
  }

  private static List<Wish> samePlaces(List<Holding> holdings) {
    Map<Piece, List<Integer>> found = new LinkedHashMap<>();
    for (Holding holding : holdings) {
      found.computeIfAbsent(holding.piece(), _ -> new ArrayList<>()).add(holding.rank());
    }
    List<Wish> wishes = new ArrayList<>(found.size());
    found.forEach((piece, ranks) ->
        wishes.add(new Wish(piece, ranks.stream().mapToInt(Integer::intValue).toArray())));
    return wishes;
  }

  private static void requireAlike(TargetShare known, TargetShare share, String rank) {
    if (!known.tensor().equals(share.tensor()) || !known.content().equals(share.content())) {
      throw new PlanRefusedException(
          share.tensor().name(),
          "expected all ranks of the inference engine to say the same of tensor "
              + share.tensor().name()
              + ", got "
              + share.tensor()
              + " made as "
              + share.content()
              + " from "
              + rank
              + " and "
              + known.tensor()
              + " made as "
              + known.content()
              + " from another one");
    }
  }

  /** All of them. */
  List<Wanted> all() {
    return List.copyOf(tensors.values());
  }
}
