package io.reactivetransfer.simulation.kvcache;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** What applications do, whenever they like. */
final class KvActs {

  private static final int MAX_BURST = 8;

  private KvActs() {}

  static void order(KvWorld world, SplittableRandom random) {
    Decoding decoding = pick(world, random);
    if (decoding != null) {
      decoding.node.act(0, () -> order(world, decoding, random));
    }
  }

  /** Several at once of one node. */
  static void burst(KvWorld world, SplittableRandom random) {
    Decoding decoding = pick(world, random);
    if (decoding != null) {
      decoding.node.act(
          0,
          () -> {
            for (int i = random.nextInt(2, MAX_BURST); i > 0; i--) {
              order(world, decoding, random.split());
            }
          });
    }
  }

  private static @Nullable Decoding pick(KvWorld world, SplittableRandom random) {
    List<Decoding> all =
        world.nodes().stream()
            .filter(KvNode::isUp)
            .flatMap(node -> node.decodings().stream())
            .toList();
    return KvWorld.pick(all, random);
  }

  private static void order(KvWorld world, Decoding decoding, SplittableRandom random) {
    int ranks = decoding.shape.ranks().size();
    boolean incomplete = ranks > 1 && random.nextInt(20) == 0;
    List<KvNode> prefills = new ArrayList<>();
    for (int rank = 0; rank < (incomplete ? ranks - 1 : ranks); rank++) {
      KvNode one = prefill(world, decoding.node, rank, random);
      if (one == null) {
        return;
      }
      prefills.add(one);
    }
    if (decoding.node.isUp()) {
      Trip trip = new Trip(decoding, prefills, incomplete, world.trips().size(), random);
      world.trips().add(trip);
      trip.begin();
    }
  }

  /** One that has this rank; now and then one that is gone, of which nobody was told. */
  private static @Nullable KvNode prefill(
      KvWorld world, KvNode decode, int rank, SplittableRandom random) {
    boolean alsoGone = random.nextInt(10) == 0;
    List<KvNode> all =
        world.nodes().stream()
            .filter(node -> node != decode && node.rank() == rank && node.engine() != null)
            .filter(node -> node.isUp() || alsoGone)
            .toList();
    return KvWorld.pick(all, random);
  }

  static void reopen(KvWorld world, SplittableRandom random) {
    KvNode node = world.pickUp(random);
    if (node != null) {
      node.act(0, node::reopen);
    }
  }

  static void reclaim(KvWorld world, SplittableRandom random) {
    Decoding decoding = pick(world, random);
    if (decoding != null) {
      decoding.node.act(0, () -> reclaim(world, decoding));
    }
  }

  static void reclaim(KvWorld world, Decoding decoding) {
    var decode = decoding.decode();
    if (decode != null && decoding.node.isUp()) {
      // Others were given the same descriptors, by another role of the same node too.
      world.trips().stream().filter(trip -> trip.node() == decoding.node).forEach(Trip::reclaimed);
      decode.reclaim().subscribe(new Waiter(decoding.node, "reclaim", true));
    }
  }
}
