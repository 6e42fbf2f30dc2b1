package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Piece;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.SourceRank;
import io.reactivetransfer.weights.SourceShare;
import io.reactivetransfer.weights.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the ranks of the trainer have, tensor by tensor. */
final class Sources implements Links.Sources {

  private final List<String> ranks;
  private final List<Source> tensors = new ArrayList<>();
  private final Map<String, Integer> indices = new HashMap<>();
  private final Map<String, Integer> groups = new LinkedHashMap<>();

  /** One tensor. */
  static final class Source {

    final Tensor tensor;
    final int group;
    final List<Holding> holdings = new ArrayList<>();
    private @Nullable List<Cell> cells;

    Source(Tensor tensor, int group) {
      this.tensor = tensor;
      this.group = group;
    }
  }

  /** Refuses ranks that say different things of one tensor. */
  Sources(List<SourceRank> from) {
    ranks = from.stream().map(rank -> rank.rank().name()).toList();
    for (int rank = 0; rank < from.size(); rank++) {
      for (SourceShare share : from.get(rank).tensors()) {
        add(from, rank, share);
      }
    }
  }

  private void add(List<SourceRank> from, int rank, SourceShare share) {
    String name = share.tensor().name();
    int group = groups.computeIfAbsent(share.group(), _ -> groups.size());
    Integer index = indices.get(name);
    if (index == null) {
      index = tensors.size();
      indices.put(name, index);
      tensors.add(new Source(share.tensor(), group));
    }
    Source known = tensors.get(index);
    if (!known.tensor.equals(share.tensor()) || known.group != group) {
      throw new PlanRefusedException(
          name,
          "expected all ranks of the trainer to say the same of tensor "
              + name
              + ", got "
              + share.tensor()
              + " in group "
              + share.group()
              + " from "
              + ranks.get(rank)
              + " and "
              + known.tensor
              + " in group "
              + groups().get(known.group)
              + " from another one");
    }
    for (Piece piece : share.pieces()) {
      boolean isRegistered =
          from.get(rank).rank().regions().get(piece.place().region()).isRegistered();
      known.holdings.add(new Holding(rank, piece, isRegistered));
    }
  }

  /** The mesh groups, in the order in which they were met. */
  List<String> groups() {
    return List.copyOf(groups.keySet());
  }

  Source get(int index) {
    return tensors.get(index);
  }

  /** The names of those of which nothing is needed. */
  List<String> without(boolean[] used) {
    List<String> unused = new ArrayList<>();
    for (int i = 0; i < used.length; i++) {
      if (!used[i]) {
        unused.add(tensors.get(i).tensor.name());
      }
    }
    return unused;
  }

  int size() {
    return tensors.size();
  }

  /** The cells of a tensor. Refuses one that is not whole, and a rank that has something twice. */
  List<Cell> cells(int index) {
    Source source = tensors.get(index);
    if (source.cells == null) {
      List<Cell> cells = Cells.apart(Cells.sameBoxes(source.holdings));
      Cells.requireOnce(source.tensor, cells, ranks);
      Cells.requireWhole(source.tensor, cells, "trainer");
      source.cells = cells;
    }
    return source.cells;
  }

  @Override
  public int indexOf(String tensor) {
    Integer index = indices.get(tensor);
    if (index == null) {
      throw new IllegalArgumentException(
          "expected a tensor that the trainer has, got none named " + tensor);
    }
    return index;
  }

  @Override
  public Shape shape(int index) {
    return tensors.get(index).tensor.shape();
  }
}
