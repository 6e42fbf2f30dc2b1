package io.reactivetransfer.tck;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.NicWaits;
import io.reactivetransfer.spi.OpenContext;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;

/**
 * Loopback, or the engine above it, with exactly one defect.
 *
 * @param rule the one rule that the defect breaks, such as {@code 2.3}
 * @param defect what is wrong
 * @param backend the backend under test
 * @param sabotage what is wrong above it
 * @param entailed rules that such a defect may break as well, because they ask for more of the same
 */
record Saboteur(
    String rule,
    String defect,
    UnaryOperator<Backend> backend,
    Sabotage sabotage,
    Set<String> entailed) {

  Saboteur(String rule, String defect, UnaryOperator<Backend> backend, Sabotage sabotage) {
    this(rule, defect, backend, sabotage, Set.of());
  }

  /** The same, which may break these rules, too. */
  Saboteur entailing(String... rules) {
    return new Saboteur(rule, defect, backend, sabotage, Set.of(rules));
  }

  /** No defect at all. */
  static final Saboteur NONE = backend("none", "no defect", inner -> inner);

  /** A backend whose NICs have a defect. */
  static Saboteur nic(String rule, String defect, BiFunction<Domain, OpenContext, Domain> wrapper) {
    return backend(rule, defect, inner -> new ForwardingBackend(inner, wrapper));
  }

  /** A backend with a defect. */
  static Saboteur backend(String rule, String defect, UnaryOperator<Backend> backend) {
    return new Saboteur(rule, defect, backend, Sabotage.NONE);
  }

  /** A backend with a defect, whose descriptors are waited for with these. */
  static Saboteur waiting(
      String rule, String defect, UnaryOperator<Backend> backend, NicWaits waits) {
    return new Saboteur(
        rule,
        defect,
        backend,
        new Sabotage() {
          @Override
          public NicWaits waits() {
            return waits;
          }
        });
  }

  /** An engine that uses its NICs in a wrong way. */
  static Saboteur use(String rule, String defect, BiFunction<Domain, OpenContext, Domain> wrapper) {
    return beneath(rule, defect, inner -> new ForwardingBackend(inner, wrapper));
  }

  /** An engine that uses its control channel in a wrong way. */
  static Saboteur talks(
      String rule, String defect, Function<ControlChannel, ControlChannel> wrapper) {
    return beneath(
        rule,
        defect,
        inner ->
            new ForwardingBackend(inner, (nic, _) -> nic, (channel, _) -> wrapper.apply(channel)));
  }

  /** An engine whose backend has a defect, beside those of its NICs. */
  static Saboteur beneath(String rule, String defect, UnaryOperator<Backend> wrapper) {
    return above(
        rule,
        defect,
        new Sabotage() {
          @Override
          public Backend beneathEngine(Backend inner) {
            return wrapper.apply(inner);
          }
        });
  }

  /** An engine that does not keep its options. */
  static Saboteur options(String rule, String defect, UnaryOperator<EngineOptions> change) {
    return above(
        rule,
        defect,
        new Sabotage() {
          @Override
          public EngineOptions options(EngineOptions options) {
            return change.apply(options);
          }
        });
  }

  /** An engine whose publishers have a defect. */
  static Saboteur engine(String rule, String defect, UnaryOperator<TransferEngine> wrapper) {
    return above(
        rule,
        defect,
        new Sabotage() {
          @Override
          public TransferEngine engine(TransferEngine engine) {
            return wrapper.apply(engine);
          }
        });
  }

  /** A builder with a defect. */
  static Saboteur builder(String rule, String defect, Mono<TransferEngine> opened) {
    return above(
        rule,
        defect,
        new Sabotage() {
          @Override
          public Mono<TransferEngine> openByName(String backend) {
            return opened;
          }
        });
  }

  private static Saboteur above(String rule, String defect, Sabotage sabotage) {
    return new Saboteur(rule, defect, inner -> inner, sabotage);
  }

  Backend newBackend() {
    return backend.apply(new LoopbackBackend());
  }

  @Override
  public String toString() {
    return rule + ": " + defect;
  }
}
