package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.simulation.Hosts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    return Hosts.pick(all, random);
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
    TransferEngine engine = decode.engine();
    return all.isEmpty() || engine == null || random.nextBoolean()
        ? Hosts.pick(all, random)
        : replica(world, decode, engine, all);
  }

  /** The one that is a target's by its number; all targets together ask all of them alike. */
  private static KvNode replica(
      KvWorld world, KvNode decode, TransferEngine engine, List<KvNode> all) {
    List<Peer> peers = new ArrayList<>();
    for (KvNode one : all) {
      TransferEngine other = one.engine();
      if (other != null) {
        peers.add(engine.peer(other.address()));
      }
    }
    Map<Peer, Integer> asked = new HashMap<>();
    for (int target = 0; target < 2 * peers.size(); target++) {
      asked.merge(world.tampering().replica(peers, target), 1, Integer::sum);
    }
    world
        .referee()
        .require(
            asked.keySet().containsAll(peers) && asked.values().stream().allMatch(n -> n == 2),
            "of replicas that hold the same some are asked more often than others: " + asked);
    return world.known(world.tampering().replica(peers, decode.index()).id());
  }

  static void reopen(KvWorld world, SplittableRandom random) {
    KvNode node = world.pickUp(random);
    if (node != null) {
      node.act(0, node::reopen);
    }
  }

  /** A node of two that have one half of the heads each is opened again with the other half. */
  static void reshare(KvWorld world, SplittableRandom random) {
    if (world.forecast().models().stream().allMatch(KvShape::isHalved)) {
      KvNode node =
          Hosts.pick(
              world.nodes().stream().filter(up -> up.isUp() && up.rank() >= 0).toList(), random);
      if (node != null) {
        node.act(0, node::reshare);
      }
    }
  }

  /** Serving is cancelled, with requests that wait, and begins again. */
  static void serveAgain(KvWorld world, SplittableRandom random) {
    List<Serving> all =
        world.nodes().stream()
            .filter(KvNode::isUp)
            .flatMap(node -> node.servings().stream())
            .toList();
    Serving serving = Hosts.pick(all, random);
    if (serving != null) {
      serving.node.act(0, serving::serveAgain);
    }
  }

  /** One who serves nobody says to another what he was not asked. */
  static void stranger(KvWorld world, SplittableRandom random) {
    KvNode from =
        Hosts.pick(
            world.nodes().stream().filter(node -> node.isUp() && node.rank() < 0).toList(), random);
    KvNode to = from == null ? null : world.pickOther(from, random);
    if (from != null && to != null) {
      from.act(
          0,
          () -> {
            TransferEngine engine = from.engine();
            TransferEngine other = to.engine();
            if (from.isUp() && engine != null && other != null) {
              Stranger.bother(engine, engine.peer(other.address()), random)
                  .subscribe(sent -> {}, unread -> {}); // nobody need read them
            }
          });
    }
  }

  /** A node takes the memory of another one for its own. */
  static void foreignMemory(KvWorld world, SplittableRandom random) {
    KvNode node = world.pickUp(random);
    KvNode other = node == null ? null : world.pickOther(node, random);
    if (node != null && other != null) {
      node.act(0, () -> node.confuse(other));
    }
  }

  /** A NIC has no room for one of the next registrations, such as some of those for an order. */
  static void refuseRegistration(KvWorld world, SplittableRandom random) {
    KvNode node = world.pickUp(random);
    if (node != null) {
      node.refuseMemory(1 + random.nextInt(4));
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
