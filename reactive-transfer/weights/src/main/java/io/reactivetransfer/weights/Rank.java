package io.reactivetransfer.weights;

import java.util.List;

/**
 * Who a rank is, and what it can be reached by.
 *
 * @param name its name, another one than that of all other ranks of its side
 * @param regions its memory; tensors name a region by its index
 * @param nics names of the NICs that share what it sends and receives. Ranks that use the same NIC
 *     name it alike; so the name says on which machine it is
 */
public record Rank(String name, List<RegionSpec> regions, List<String> nics) {

  /** The most regions of a rank. */
  public static final int MAX_REGIONS = 1 << 16;

  /** The most NICs of a rank. */
  public static final int MAX_NICS = 64;

  /** Checks names and numbers. */
  public Rank {
    Names.require("rank", name);
    regions = List.copyOf(regions);
    nics = List.copyOf(nics);
    if (regions.size() > MAX_REGIONS) {
      throw new IllegalArgumentException(
          "expected at most "
              + MAX_REGIONS
              + " regions of rank "
              + name
              + ", got "
              + regions.size());
    }
    if (nics.isEmpty() || nics.size() > MAX_NICS) {
      throw new IllegalArgumentException(
          "expected 1 to " + MAX_NICS + " NICs of rank " + name + ", got " + nics.size());
    }
    nics.forEach(nic -> Names.require("NIC", nic));
    if (nics.stream().distinct().count() < nics.size()) {
      throw new IllegalArgumentException(
          "expected each NIC of rank " + name + " once, got " + nics);
    }
  }

  /** A rank that has a NIC for itself, which is called like it. */
  public static Rank of(String name, RegionSpec... regions) {
    return new Rank(name, List.of(regions), List.of(name));
  }

  /** This rank, with other NICs. */
  public Rank withNics(String... nics) {
    return new Rank(name, regions, List.of(nics));
  }

  /** Refuses pieces that do not lie in its memory. */
  void requireHolds(Tensor tensor, List<Piece> pieces) {
    for (Piece piece : pieces) {
      Pieces.requireOf(tensor, piece, name);
      int region = piece.place().region();
      long bytes = region < regions.size() ? regions.get(region).bytes() : -1;
      long end = piece.place().offset() + Pieces.extentBytes(tensor, piece);
      if (end < 0 || end > bytes) {
        throw new IllegalArgumentException(
            "expected tensor "
                + tensor.name()
                + " within the memory of rank "
                + name
                + ", got "
                + piece.box()
                + " in region "
                + region
                + " up to byte "
                + Long.toUnsignedString(end)
                + " of "
                + (bytes < 0 ? "no such region" : bytes));
      }
    }
  }
}
