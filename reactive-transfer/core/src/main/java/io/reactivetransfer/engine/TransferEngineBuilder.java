package io.reactivetransfer.engine;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.base.AnswerMono;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.EngineEnvironment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Builds engines.
 *
 * <pre>{@code
 * TransferEngine engine = TransferEngineBuilder.create().backend("tcp").open().block();
 * }</pre>
 */
public final class TransferEngineBuilder {

  private @Nullable Backend backend;
  private EngineOptions options = EngineOptions.defaults();
  private @Nullable EngineEnvironment environment;

  private TransferEngineBuilder() {}

  /** Begins. */
  public static TransferEngineBuilder create() {
    return new TransferEngineBuilder();
  }

  /**
   * Uses the backend of this name from the class path.
   *
   * @throws BackendUnavailableException if there is none; the text lists those that there are
   */
  public TransferEngineBuilder backend(String name) {
    this.backend = Backends.named(Objects.requireNonNull(name, "name"));
    return this;
  }

  /** Uses this backend. */
  public TransferEngineBuilder backend(Backend backend) {
    this.backend = Objects.requireNonNull(backend, "backend");
    return this;
  }

  /** Uses these options instead of the defaults. */
  public TransferEngineBuilder options(EngineOptions options) {
    this.options = Objects.requireNonNull(options, "options");
    return this;
  }

  /** Uses this clock, identity and affinity instead of the machine's: for tests and simulation. */
  public TransferEngineBuilder environment(EngineEnvironment environment) {
    this.environment = Objects.requireNonNull(environment, "environment");
    return this;
  }

  /**
   * Opens an engine on each subscription: starts its thread, opens its NICs. Signals on the signal
   * scheduler. Fails with a {@link BackendUnavailableException} if the backend cannot run here or a
   * NIC cannot be opened. If the subscription is cancelled before the engine came, the engine is
   * closed.
   *
   * @throws IllegalStateException if no backend was chosen
   */
  public Mono<TransferEngine> open() {
    Backend chosen = backend;
    if (chosen == null) {
      throw new IllegalStateException("expected a backend; name one, such as backend(\"tcp\")");
    }
    EngineOptions fixed = options;
    EngineEnvironment given = environment;
    Scheduler signals = fixed.signalScheduler();
    return new AnswerMono<>(
        signals == null ? Schedulers.parallel() : signals,
        answer -> {
          EngineEnvironment outside = given == null ? EngineEnvironment.system() : given;
          EngineOpening.open(chosen, fixed, outside, answer);
        });
  }
}
