package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.Peer;
import io.reactivetransfer.kvcache.HandOverException;
import io.reactivetransfer.kvcache.KvArrival;
import io.reactivetransfer.kvcache.KvDecode;
import io.reactivetransfer.kvcache.KvOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What is wrong with who is asked, how often, and for how long. */
final class KvRouteSaboteurs {

  private KvRouteSaboteurs() {}

  /** A router that is otherwise than a sound one. */
  private interface Otherwise {
    Routing routing(KvDecode decode, Flux<List<Peer>> prefills, int attempts);
  }

  private static Tampering tampering(Otherwise otherwise) {
    return new Tampering() {
      @Override
      public Routing routing(KvDecode decode, Flux<List<Peer>> prefills, int attempts) {
        return otherwise.routing(decode, prefills, attempts);
      }
    };
  }

  /** Orders that are made otherwise by a sound router. */
  private interface Receive {
    Mono<Integer> receive(
        Routing sound,
        Duration deadline,
        Function<Peer, KvOrder.Builder> order,
        Function<KvArrival, Mono<Integer>> use);
  }

  private static Tampering receives(Receive otherwise) {
    return tampering((decode, prefills, attempts) -> {
      Routing sound = Routing.of(decode, prefills, attempts);
      return new Routing() {
        @Override
        public Mono<Integer> receive(
            Duration deadline,
            Function<Peer, KvOrder.Builder> order,
            Function<KvArrival, Mono<Integer>> use) {
          return otherwise.receive(sound, deadline, order, use);
        }

        @Override
        public void dispose() {
          sound.dispose();
        }
      };
    });
  }

  /** Another number of nodes is asked than was said. */
  static Tampering attempts(IntUnaryOperator otherwise) {
    return tampering((decode, prefills, attempts) ->
        Routing.of(decode, prefills, otherwise.applyAsInt(attempts)));
  }

  /** Another deadline holds than was said. */
  static Tampering deadline(UnaryOperator<Duration> otherwise) {
    return receives(
        (sound, deadline, order, use) -> sound.receive(otherwise.apply(deadline), order, use));
  }

  /** Nodes stay that were ever there. */
  static Tampering forgetsNobody() {
    return tampering((decode, prefills, attempts) -> {
      Set<Peer> ever = new LinkedHashSet<>();
      return Routing.of(
          decode,
          prefills.map(now -> {
            ever.addAll(now);
            return new ArrayList<>(ever);
          }),
          attempts);
    });
  }

  /** When all have failed, they are asked once more. */
  static Tampering asksAgain() {
    return receives((sound, deadline, order, use) ->
        sound
            .receive(deadline, order, use)
            .onErrorResume(HandOverException.class, failed -> sound.receive(deadline, order, use)));
  }

  /** When it has arrived, and was used in vain, it is ordered once more. */
  static Tampering ordersAgain() {
    return receives((sound, deadline, order, use) ->
        sound
            .receive(deadline, order, use)
            .onErrorResume(
                IllegalStateException.class,
                failed ->
                    Trip.isOwn(failed) ? sound.receive(deadline, order, use) : Mono.error(failed)));
  }

  /** It goes on when it is cancelled. */
  static Tampering hearsNoCancel() {
    return receives((sound, deadline, order, use) ->
        Mono.create(sink ->
            sound
                .receive(deadline, order, use)
                .subscribe(sink::success, sink::error, sink::success)));
  }

  /**
   * Each order has a router of its own, which knows of no other order.
   *
   * @param remembers whether it is told of the nodes that there were before
   */
  static Tampering knowsNoOthers(boolean remembers) {
    return tampering((decode, prefills, attempts) -> {
      Flux<List<Peer>> known = remembers ? prefills.replay(1).autoConnect(0) : prefills;
      return new Routing() {
        @Override
        public Mono<Integer> receive(
            Duration deadline,
            Function<Peer, KvOrder.Builder> order,
            Function<KvArrival, Mono<Integer>> use) {
          return Mono.defer(
              () -> Routing.of(decode, known, attempts).receive(deadline, order, use));
        }

        @Override
        public void dispose() {
          // Those of the orders end with them.
        }
      };
    });
  }

  /** Who has failed is asked as if it had not: behind a failure, another router begins anew. */
  static Tampering forgetsFailures() {
    return tampering((decode, prefills, attempts) -> {
      Flux<List<Peer>> known = prefills.replay(1).autoConnect(0);
      return new Routing() {
        private Routing now = Routing.of(decode, known, attempts);

        @Override
        public Mono<Integer> receive(
            Duration deadline,
            Function<Peer, KvOrder.Builder> order,
            Function<KvArrival, Mono<Integer>> use) {
          return Mono.defer(() -> {
            Set<Peer> asked = new LinkedHashSet<>();
            return now.receive(
                deadline,
                peer -> {
                  if (!asked.isEmpty()) {
                    now = Routing.of(decode, known, attempts);
                  }
                  asked.add(peer);
                  return order.apply(peer);
                },
                use);
          });
        }

        @Override
        public void dispose() {
          now.dispose(); // those before it may have orders
        }
      };
    });
  }
}
