package io.reactivetransfer.control;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import reactor.core.scheduler.Schedulers;

/**
 * How engines talk with each other over a network: for authors of backends, who embed one in theirs
 * and open a channel of it for each engine. Each pair of engines has one TCP connection, over which
 * both have proved who they are, and, where there is a secret, that they know it; with {@link
 * Builder#tls} it is encrypted. Safe from any thread.
 */
public final class NettyControl {

  private final ControlSettings settings;

  NettyControl(ControlSettings settings) {
    this.settings = settings;
  }

  /** Begins with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * A loop for one engine, on which its channel runs, and all that its backend wants to; by a
   * daemon thread {@code transfer-KIND-N}. Blocks a little.
   */
  public ControlLoop newLoop(String kind) {
    return new ControlLoop(kind, settings.transport(), settings.tls());
  }

  /**
   * Opens the channel of one engine. It runs on the engine's loop if that is one of {@link
   * #newLoop}, else on one of its own, and is then polled by the engine's thread.
   *
   * @return the open channel, or a {@link BackendException}
   */
  public CompletionStage<ControlChannel> open(ControlContext context) {
    return open(context, _ -> {});
  }

  /**
   * The same, for a backend whose NICs have connections of their own.
   *
   * @param sessionEnded told the engine with which a session has ended, on the loop, at once: so
   *     before the channel reports it, and before anything of another session
   */
  public CompletionStage<ControlChannel> open(
      ControlContext context, Consumer<EngineId> sessionEnded) {
    if (!context.identity().isProvable()) {
      return CompletableFuture.failedFuture(
          new BackendException(
              0, "expected an identity with keys, got one with an id alone, which proves nothing"));
    }
    return CompletableFuture.supplyAsync(
            () -> new Prepared(context, sessionEnded),
            task -> Schedulers.boundedElastic().schedule(task))
        .thenCompose(Prepared::listen);
  }

  /** What reads files when it is made, and so is not made on the loop. */
  private final class Prepared {

    private final ControlContext context;
    private final ControlLoop loop;
    private final boolean isOwnLoop;
    private final Sessions sessions;

    Prepared(ControlContext context, Consumer<EngineId> sessionEnded) {
      this.context = context;
      this.isOwnLoop = !(context.loop() instanceof ControlLoop);
      this.loop = context.loop() instanceof ControlLoop given ? given : newLoop("control");
      Credentials credentials = new Credentials(context.identity(), settings.secrets());
      this.sessions =
          new Sessions(
              loop,
              Network.of(loop, Sessions.millis(context.connectTimeout())),
              context,
              credentials,
              settings.limits(),
              settings.aliases(),
              sessionEnded);
    }

    CompletionStage<ControlChannel> listen() {
      return Listener.listen(sessions, settings.listenAddress(), settings::advertised)
          .<ControlChannel>thenApply(
              listener -> new NettyControlChannel(context, sessions, listener, this::endLoop))
          .whenComplete((_, failure) -> {
            if (failure != null) {
              loop.execute(this::endLoop);
            }
          });
    }

    /** Complete when the thread of the loop has ended, if that is the channel's own. */
    private CompletionStage<Void> endLoop() {
      return isOwnLoop ? loop.close() : CompletableFuture.completedStage(null);
    }
  }

  /** Sets what differs from the defaults. */
  public static final class Builder extends ControlBuilder<Builder> {

    private Builder() {}

    /** What others are told, where the port differs, too: behind a translation of addresses. */
    public Builder advertised(HostPort advertised) {
      return advertised(advertised.host(), advertised.port());
    }

    /**
     * What else others may dial to reach this engine, behind a translation of addresses. Who has
     * dialled something that is not the address of the socket that it comes to, and is neither
     * advertised nor named here, is refused: something in between passes its connections on.
     */
    public Builder alsoKnownAs(HostPort... others) {
      aliases.addAll(List.of(others));
      return this;
    }

    /** How the sockets are driven, {@link Transport#AUTO} by default. */
    public Builder transport(Transport transport) {
      this.transport = Objects.requireNonNull(transport, "transport");
      return this;
    }

    /**
     * The channel's settings. Looks up a host that is a name, and so may block.
     *
     * @throws IllegalArgumentException if the host is unknown; if it stands for all interfaces and
     *     nothing is advertised; if it is not a loopback address, and there is neither a secret nor
     *     {@link #withoutSecret()}; if there are both; or if this machine does not have the
     *     transport
     */
    public NettyControl build() {
      return newControl();
    }
  }
}
