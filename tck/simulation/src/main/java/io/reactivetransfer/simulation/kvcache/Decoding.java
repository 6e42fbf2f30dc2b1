package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvDecode;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The decode side of one model on one node: its pages, and who waits for some. */
final class Decoding {

  final KvNode node;
  final String model;
  final KvShape shape;
  final Land target;
  final Land tails;
  private final ArrayDeque<Trip> waiting = new ArrayDeque<>();

  /** Who was asked to fill some of its pages. */
  private final Set<KvNode> asked = new HashSet<>();

  private final SplittableRandom random;
  private @Nullable KvDecode decode;
  private @Nullable Routes routes;
  private boolean closed;

  Decoding(
      KvNode node, String model, KvShape shape, Land target, Land tails, SplittableRandom random) {
    this.node = node;
    this.model = model;
    this.shape = shape;
    this.target = target;
    this.tails = tails;
    this.random = random;
  }

  List<Land> lands() {
    return List.of(target, tails);
  }

  void begin(KvCache cache) {
    KvDecode opened = cache.decode(model, target.memory());
    decode = opened;
    closed = false;
    routes = shape.ranks().size() == 1 ? new Routes(this, opened, random) : null;
  }

  /** Whether nothing is left of what its last opening had registered. */
  boolean isClosed() {
    return closed;
  }

  /** Takes no more orders; what was registered for prefill nodes is closed. */
  void dispose() {
    KvDecode open = decode;
    if (open != null) {
      Routes router = routes;
      if (router != null && random.nextBoolean()) {
        router.routing().dispose();
      }
      open.dispose();
      node.world()
          .tampering()
          .decodeClosed(open.closed())
          .subscribe(
              new Waiter(node, "close of a decode role", true) {
                @Override
                void end(@Nullable Throwable failure) {
                  if (decode == open) { // else it was opened again before this was told
                    closed = true;
                    node.requireOnlyOwnRegions();
                  }
                }
              });
    }
  }

  @Nullable KvDecode decode() {
    return decode;
  }

  /** By which orders of whichever node is there are made; null if no node has all of the model. */
  @Nullable Routes routes() {
    return routes;
  }

  /** These are told of its pages. */
  void asked(List<KvNode> prefills) {
    asked.addAll(prefills);
  }

  /** How many registrations of its pages may be open: one for each of those who live. */
  int mostRegistrations() {
    long living = asked.stream().filter(KvNode::isUp).count();
    return Math.toIntExact(living) * target.strips().size();
  }

  /** There are no pages for it yet. */
  void await(Trip trip) {
    waiting.add(trip);
  }

  /** Some pages are free again: whoever waits gets them at once. */
  void freed() {
    Trip next = waiting.poll();
    if (next != null) {
      next.begin();
    }
  }

  /** Nobody waits any more: the run is over. */
  void giveUp() {
    waiting.forEach(Trip::giveUp);
    waiting.clear();
  }
}
