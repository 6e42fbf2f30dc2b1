package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.Tensor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Cuts a tensor into cells: what has the same ranks throughout. Where all ranks cut it alike, these
 * are their pieces.
 */
final class Cells {

  private Cells() {}

  /** Pieces of the same box are one cell, in the order in which the boxes were met. */
  static List<Cell> sameBoxes(List<Holding> holdings) {
    Map<Box, List<Holding>> found = new LinkedHashMap<>();
    for (Holding holding : holdings) {
      found.computeIfAbsent(holding.piece().box(), _ -> new ArrayList<>(2)).add(holding);
    }
    List<Cell> cells = new ArrayList<>(found.size());
    found.forEach((box, same) -> cells.add(new Cell(box, same)));
    return cells;
  }

  /** Cells that share no element, in the order of {@link Boxes#ORDER}. */
  static List<Cell> apart(List<Cell> cells) {
    List<Cell> sorted = new ArrayList<>(cells);
    sorted.sort(Comparator.comparing(Cell::box, Boxes.ORDER));
    return areApart(sorted) ? sorted : refined(sorted);
  }

  /** Whether cells share no element; by the first index along the first dimension. */
  static boolean areApart(List<Cell> sorted) {
    List<Box> active = new ArrayList<>();
    for (Cell cell : sorted) {
      Box box = cell.box();
      if (box.dimensions() == 0) {
        return sorted.size() == 1;
      }
      active.removeIf(other -> other.end(0) <= box.start(0));
      for (Box other : active) {
        if (other.meets(box)) {
          return false;
        }
      }
      active.add(box);
    }
    return true;
  }

  private static List<Cell> refined(List<Cell> cells) {
    List<Cell> found = new ArrayList<>();
    for (Cell next : cells) {
      List<Box> alone = List.of(next.box());
      List<Cell> kept = new ArrayList<>();
      for (Cell known : found) {
        Box common = known.box().intersect(next.box());
        if (common == null) {
          kept.add(known);
          continue;
        }
        List<Box> rest = new ArrayList<>();
        Boxes.subtract(known.box(), common, rest);
        rest.forEach(box -> kept.add(new Cell(box, known.holdings())));
        List<Holding> both = new ArrayList<>(known.holdings());
        both.addAll(next.holdings());
        kept.add(new Cell(common, both));
        alone = Boxes.without(alone, common);
      }
      alone.forEach(box -> kept.add(new Cell(box, next.holdings())));
      found = kept;
    }
    found.sort(Comparator.comparing(Cell::box, Boxes.ORDER));
    return found;
  }

  /** Refuses a rank that has an element twice. */
  static void requireOnce(Tensor tensor, List<Cell> cells, List<String> ranks) {
    for (Cell cell : cells) {
      cell.holdings().sort(Comparator.comparingInt(Holding::rank));
      for (int i = 1; i < cell.holdings().size(); i++) {
        int rank = cell.holdings().get(i).rank();
        if (rank == cell.holdings().get(i - 1).rank()) {
          throw new PlanRefusedException(
              tensor.name(),
              "expected each element of tensor "
                  + tensor.name()
                  + " at most once at rank "
                  + ranks.get(rank)
                  + ", got "
                  + cell.box()
                  + " twice");
        }
      }
    }
  }

  /** Refuses cells that are not the whole tensor; they share no element. */
  static void requireWhole(Tensor tensor, List<Cell> cells, String whose) {
    List<Box> boxes = cells.stream().map(Cell::box).toList();
    if (Boxes.elements(boxes) == tensor.shape().elements()) {
      return;
    }
    List<Box> missing = Boxes.without(Box.whole(tensor.shape()), boxes);
    missing.sort(Boxes.ORDER);
    throw new PlanRefusedException(
        tensor.name(),
        "expected every element of tensor "
            + tensor.name()
            + " "
            + tensor.shape()
            + " at some rank of the "
            + whose
            + ", got none with "
            + missing.getFirst());
  }
}
