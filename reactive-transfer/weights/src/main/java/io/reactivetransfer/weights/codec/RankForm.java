package io.reactivetransfer.weights.codec;

import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.RegionSpec;
import java.util.ArrayList;
import java.util.List;

/** The bytes of a rank: who it is, and its memory. */
final class RankForm {

  /** Of the shortest one: a name, a NIC, no regions. */
  static final int LEAST_BYTES = 2 + 1 + 2 + 1;

  private static final int NAME_BYTES = 2;
  private static final int REGION_BYTES = 2;

  private RankForm() {}

  static void write(Rank rank, FormWriter out) {
    out.name(rank.name());
    names(rank.nics(), out);
    out.number(rank.regions().size());
    rank.regions().forEach(region -> out.number(region.bytes()).flag(region.isRegistered()));
  }

  static Rank read(FormReader in) {
    String name = in.name("rank");
    List<String> nics = names("NIC", in);
    int count = in.count("regions", 0, REGION_BYTES);
    List<RegionSpec> regions = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      regions.add(new RegionSpec(in.number("bytes of a region"), in.flag("registered")));
    }
    return new Rank(name, regions, nics);
  }

  static void names(List<String> names, FormWriter out) {
    out.number(names.size());
    names.forEach(out::name);
  }

  static List<String> names(String what, FormReader in) {
    int count = in.count("names of a " + what, 0, NAME_BYTES);
    List<String> names = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      names.add(in.name(what));
    }
    return names;
  }
}
