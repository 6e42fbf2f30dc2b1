package io.reactivetransfer.simulation.kvcache;

import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** What may happen in a run, and how often compared with the rest. */
enum KvActKind {
  ORDER(60, KvActs::order),
  REOPEN(2, KvActs::reopen),
  BURST(6, KvActs::burst),
  RECLAIM(1, KvActs::reclaim),
  CUT(4, KvFaults::cut),
  CUT_CONTROL(3, KvFaults::cutControl),
  HALF_OPEN(2, KvFaults::halfOpen),
  SLOW_CONTROL(2, KvFaults::slowControl),
  NIC_FAILS(2, KvFaults::failNic),
  STOP(4, KvFaults::stop),
  KILL(4, KvFaults::kill),
  CLOSE_ENGINE(1, KvFaults::closeEngine);

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
    return compareTo(BURST) > 0;
  }

  void perform(KvWorld world, SplittableRandom random) {
    action.accept(world, random);
  }
}
