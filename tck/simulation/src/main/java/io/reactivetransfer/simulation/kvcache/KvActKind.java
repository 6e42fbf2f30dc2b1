package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.simulation.Faults;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** What may happen in a run, and how often compared with the rest. */
enum KvActKind {
  ORDER(60, KvActs::order),
  ROUTE(20, RouteActs::route),
  LIST(4, RouteActs::list),
  REOPEN(2, KvActs::reopen),
  RESHARE(3, KvActs::reshare),
  BURST(6, KvActs::burst),
  SERVE_AGAIN(2, KvActs::serveAgain),
  STRANGER(3, KvActs::stranger),
  FOREIGN_MEMORY(1, KvActs::foreignMemory),
  RECLAIM(1, KvActs::reclaim),
  REGISTRATION_REFUSED(2, KvActs::refuseRegistration),
  CUT(4, Faults::cut),
  CUT_CONTROL(3, Faults::cutControl),
  HALF_OPEN(2, Faults::halfOpen),
  SLOW_CONTROL(2, Faults::slowControl),
  NIC_FAILS(2, Faults::failNic),
  STOP(4, Faults::stop),
  KILL(4, Faults::kill),
  CLOSE_ENGINE(1, Faults::closeEngine);

  private static final KvActKind[] LOTS =
      Stream.of(values())
          .flatMap(kind -> Stream.generate(() -> kind).limit(kind.weight))
          .toArray(KvActKind[]::new);

  private final int weight;

  @SuppressWarnings("ImmutableEnumChecker") // only method references
  private final BiConsumer<KvWorld, SplittableRandom> action;

  KvActKind(int weight, BiConsumer<KvWorld, SplittableRandom> action) {
    this.weight = weight;
    this.action = action;
  }

  static KvActKind draw(SplittableRandom random) {
    return LOTS[random.nextInt(LOTS.length)];
  }

  /** Whether an order may fail for it. */
  boolean isFault() {
    return compareTo(RECLAIM) >= 0;
  }

  /** Whether it is about routers. */
  boolean isOfRouters() {
    return this == ROUTE || this == LIST;
  }

  void perform(KvWorld world, SplittableRandom random) {
    action.accept(world, random);
  }
}
