package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.simulation.Saboteur;
import io.reactivetransfer.spi.Backend;
import java.time.Duration;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** What a hand-over must not do, each done now and then. */
enum KvSaboteur {
  // Whose a page is, and when.
  FREES_PAGES_TOO_EARLY(KvMemorySaboteurs.EarlyQuiet::new),
  FREES_PAGES_AT_A_CANCEL(() -> new KvSignalSaboteurs.FreesAtOnce(true)),
  FREES_PAGES_AT_AN_ERROR(() -> new KvSignalSaboteurs.FreesAtOnce(false)),
  FREES_PAGES_BEHIND_THE_SIGNAL(KvSignalSaboteurs.FreesBehind::new),
  FREES_PAGES_TWICE(() -> quiet(2)),
  NEVER_FREES_PAGES(() -> quiet(0)),
  LETS_A_LOST_NODE_WRITE_ON(() -> new KvMemorySaboteurs.ClosesLate(true, Duration.ofMillis(8))),
  HOLDS_PAGES_OF_A_LOST_NODE(() -> new KvMemorySaboteurs.ClosesLate(false, Duration.ofSeconds(3))),
  KEEPS_OPEN_WHAT_A_LOST_NODE_KNOWS(KvMemorySaboteurs.HearsOfNoLoss::new),
  NEVER_CLOSES_A_REGISTRATION(KvMemorySaboteurs.NeverCloses::new),
  IS_CLOSED_TOO_EARLY(() ->
      new Tampering() {
        @Override
        public Mono<Void> closed(Mono<Void> sound) {
          return Mono.empty();
        }
      }),
  SAYS_TOO_EARLY_THAT_A_DECODE_ROLE_IS_CLOSED(
      () ->
          new Tampering() {
            @Override
            public Mono<Void> decodeClosed(Mono<Void> sound) {
              return Mono.empty();
            }
          },
      "has closed its decode roles"),
  FORGETS_THE_REST_WHEN_A_REGISTRATION_FAILS(KvMemorySaboteurs.ForgetsAfterRefusal::new),
  VOUCHES_FOR_WHAT_IT_DOES_NOT_KNOW(KvMessageSaboteurs.Vouches::new),
  FORGETS_A_CANCEL(KvMessageSaboteurs.ForgetsCancels::new),

  // How an order ends, when, and who is named.
  NEVER_ENDS_AN_ORDER(KvClockSaboteurs.NoTimers::new),
  ENDS_AN_ORDER_TOO_LATE(() -> KvClockSaboteurs.late(60_000_000)),
  ENDS_AN_ORDER_TWICE(KvSignalSaboteurs::endsTwice),
  SWALLOWS_AN_ERROR(KvSignalSaboteurs::swallowsErrors),
  SIGNALS_AFTER_A_CANCEL(() -> KvSignalSaboteurs.signalsAfterCancel(false)),
  DROPS_A_LATE_REFUSAL(() -> KvSignalSaboteurs.signalsAfterCancel(true)),
  NEVER_SAYS_THAT_TIME_IS_SHORT(() -> KvClockSaboteurs.clock(now -> 0)),
  SAYS_TOO_EARLY_THAT_TIME_IS_SHORT(() -> KvClockSaboteurs.clock(now -> 8 * now)),
  BLAMES_ANOTHER_NODE(KvSignalSaboteurs.Blames::new),
  CALLS_NODES_BY_ANOTHER_NAME(() ->
      new Tampering() {
        @Override
        public String name(String sound) {
          return "somebody";
        }
      }),
  CALLS_NODES_BY_THEIR_ADDRESS(KvSignalSaboteurs::forgetsNames),

  // What has arrived.
  COUNTS_BEFORE_THE_BYTES_ARE_THERE(() ->
      new Tampering() {
        @Override
        public Backend backend(Backend sound) {
          return Saboteur.COUNTS_BEFORE_THE_BYTES_ARE_THERE.apply(sound);
        }
      }),
  COUNTS_OTHERWISE_THAN_DECODE(KvMemorySaboteurs.LeavesOut::new),
  WRITES_WHAT_WAS_COUNTED_FOR_ANOTHER_LAYOUT(
      KvTurnSaboteurs.Recounts::new, "is not what prefill wrote"),
  TELLS_OF_A_LAYER_TWICE(() -> KvProgressSaboteurs.layers(KvProgressSaboteurs::twice)),
  TELLS_OF_A_LAYER_TOO_EARLY(() -> KvProgressSaboteurs.layers(KvProgressSaboteurs::ahead)),
  TELLS_OF_A_LAYER_TOO_LATE(KvProgressSaboteurs.Late::new),
  NEVER_TELLS_OF_A_LAYER(() -> KvProgressSaboteurs.layers(KvProgressSaboteurs::never)),

  // What prefill is told.
  SAYS_TOO_EARLY_THAT_A_LAYER_IS_DONE(() -> new KvProgressSaboteurs.TakenForDone(false)),
  SAYS_TWICE_THAT_A_LAYER_IS_DONE(() -> KvProgressSaboteurs.written(KvProgressSaboteurs::doubled)),
  NEVER_SAYS_THAT_A_LAYER_IS_DONE(() -> KvProgressSaboteurs.written(KvProgressSaboteurs::some)),
  ENDS_A_HAND_OVER_TOO_EARLY(() -> new KvProgressSaboteurs.TakenForDone(true)),
  NEVER_FREES_THE_SOURCE(() -> KvSignalSaboteurs.quiet(sound -> Mono.never())),
  FREES_THE_SOURCE_TOO_EARLY(() -> KvSignalSaboteurs.quiet(sound -> Mono.empty())),
  NEVER_ENDS_A_REQUEST(() -> KvSignalSaboteurs.ended(sound -> Mono.never())),
  ENDS_A_REQUEST_TOO_EARLY(() -> KvSignalSaboteurs.ended(sound -> Mono.empty())),
  NEVER_STOPS_A_HANDLER(KvSignalSaboteurs::runsOn),

  // How requests are served.
  SERVES_TOO_MANY_AT_ONCE(() ->
      new Tampering() {
        @Override
        public int concurrency(int sound) {
          return sound + 1;
        }
      }),
  REFUSES_BECAUSE_IT_IS_BUSY(KvMessageSaboteurs.Busy::new),
  REFUSES_IN_SILENCE(KvMessageSaboteurs.RefusesInSilence::new),
  REFUSES_ANOTHER_REQUEST_TOO(KvMessageSaboteurs.RefusesAnotherToo::new),
  BEGINS_AT_ONE_AGAIN(KvMessageSaboteurs.SameNumbers::new),
  LETS_ONE_NODE_WAIT_FOR_ANOTHER(KvTurnSaboteurs.HoldsBack::new, "and it is the turn of"),
  READS_MORE_THAN_THERE_IS_ROOM_FOR(
      () -> KvTurnSaboteurs.grants(grants -> grants.maxWaitingBytes(Long.MAX_VALUE)),
      "has read one more request"),
  GIVES_MORE_TIME_THAN_IT_SAYS(
      () -> KvTurnSaboteurs.grants(grants -> grants.maxDeadline(Duration.ofDays(1))),
      "which is too long"),
  DOES_NOT_HEAR_OF_ANOTHER_VERSION(
      KvTurnSaboteurs.HearsOneVersion::new, "in another version of the messages"),
  ASKS_ONE_REPLICA_ALONE(KvTurnSaboteurs::first, "some are asked more often"),

  // Whom a router asks.
  GIVES_UP_WITH_THE_FIRST_NODE(
      () -> KvRouteSaboteurs.attempts(sound -> 1), "gave up, and did not ask"),
  ASKS_MORE_NODES_THAN_IT_SHOULD(
      () -> KvRouteSaboteurs.attempts(sound -> sound + 1), "and was to ask"),
  ASKS_NODES_THAT_ARE_NOT_THERE(KvRouteSaboteurs::forgetsNobody, "of which nobody told it"),
  ASKS_A_NODE_TWICE(KvRouteSaboteurs::asksAgain, " twice"),
  ASKS_ANOTHER_NODE_AFTER_THE_ARRIVAL(KvRouteSaboteurs::ordersAgain, "and has arrived"),
  ASKS_ON_AFTER_A_CANCEL(KvRouteSaboteurs::hearsNoCancel, "and has ended"),
  FORGETS_WHO_IS_THERE(() -> KvRouteSaboteurs.knowsNoOthers(false), "gave up, and did not ask"),
  DOES_NOT_SHARE_THE_WORK(() -> KvRouteSaboteurs.knowsNoOthers(true), "has fewer orders"),
  ASKS_A_NODE_THAT_HAS_FAILED_LATELY(KvRouteSaboteurs::forgetsFailures, "which has failed lately"),
  GIVES_A_ROUTED_ORDER_TOO_MUCH_TIME(
      () -> KvRouteSaboteurs.deadline(sound -> sound.plusMillis(60)), "when its deadline was"),
  GIVES_A_ROUTED_ORDER_TOO_LITTLE_TIME(
      () -> KvRouteSaboteurs.deadline(sound -> sound.dividedBy(8).plusMillis(1)),
      "gave up, and another node might have come");

  private static final int SOMETIMES = 5;

  @SuppressWarnings("ImmutableEnumChecker") // only method references and lambdas
  private final Supplier<Tampering> tampering;

  private final String found;

  KvSaboteur(Supplier<Tampering> tampering) {
    this(tampering, "");
  }

  KvSaboteur(Supplier<Tampering> tampering, String found) {
    this.tampering = tampering;
    this.found = found;
  }

  /** Whether that is what is wrong with it. */
  boolean isMeant(String violation) {
    return violation.contains(found);
  }

  KvSimulation simulation() {
    return new KvSimulation(tampering.get());
  }

  private static Tampering quiet(int times) {
    return new Tampering() {
      private int calls;

      @Override
      public Runnable whenQuiet(Runnable sound) {
        int now = ++calls % SOMETIMES == 0 ? times : 1;
        return () -> {
          for (int i = 0; i < now; i++) {
            sound.run();
          }
        };
      }
    };
  }
}
