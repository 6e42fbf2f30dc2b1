package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.simulation.Hosts;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** What applications do with routers, whenever they like. */
final class RouteActs {

  private static final int MAX_TOGETHER = 5;

  private RouteActs() {}

  /** Some orders of whichever node is there; most routers are told of the nodes first. */
  static void route(KvWorld world, SplittableRandom random) {
    Routes routes = pick(world, random);
    if (routes == null) {
      KvActs.order(world, random); // each node has a share of each model
    } else {
      routes.decoding().node.act(0, () -> order(world, routes, random));
    }
  }

  private static void order(KvWorld world, Routes routes, SplittableRandom random) {
    if (routes.nodes().isEmpty() || random.nextInt(3) > 0) {
      routes.list(random);
    }
    for (int i = 1 + random.nextInt(MAX_TOGETHER); i > 0; i--) {
      if (routes.decoding().node.isUp() && routes.isOpen()) {
        RoutedTrip trip = new RoutedTrip(routes, world.routed().size(), random.split());
        world.routed().add(trip);
        trip.begin();
      }
    }
  }

  /** A router is told which nodes there are. */
  static void list(KvWorld world, SplittableRandom random) {
    Routes routes = pick(world, random);
    if (routes == null) {
      KvActs.order(world, random);
    } else {
      routes.decoding().node.act(0, () -> routes.list(random));
    }
  }

  private static @Nullable Routes pick(KvWorld world, SplittableRandom random) {
    List<Decoding> all =
        world.nodes().stream()
            .filter(KvNode::isUp)
            .flatMap(node -> node.decodings().stream())
            .filter(decoding -> decoding.routes() != null)
            .toList();
    Decoding decoding = Hosts.pick(all, random);
    return decoding == null ? null : decoding.routes();
  }
}
