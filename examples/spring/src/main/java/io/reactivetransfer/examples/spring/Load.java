package io.reactivetransfer.examples.spring;

import io.reactivetransfer.HostPort;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Message;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A small, steady load. This node looks for each peer and offers it memory to write to; and it
 * writes to the memory that a peer has offered, until one of them is gone.
 *
 * <p>A lifecycle, because the starter closes the engine before it destroys beans: this stops first.
 */
@Component
class Load implements SmartLifecycle {

  private static final Logger LOG = LoggerFactory.getLogger(Load.class);
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  private final TransferEngine engine;
  private final NodeProperties properties;
  private final Map<HostPort, Link> links = new LinkedHashMap<>();
  private volatile boolean isPaused;
  private @Nullable Disposable running;

  Load(TransferEngine engine, NodeProperties properties) {
    this.engine = engine;
    this.properties = properties;
    properties
        .peers()
        .forEach((name, text) -> {
          HostPort at = HostPort.parse(text);
          links.put(at, new Link(name, at));
        });
  }

  Collection<Link> links() {
    return links.values();
  }

  boolean isPaused() {
    return isPaused;
  }

  /** Whether this node writes nothing. What others write here goes on. */
  void pause(boolean paused) {
    isPaused = paused;
  }

  @Override
  public void start() {
    running =
        Flux.merge(writeWhereOffered(), Flux.fromIterable(links()).flatMap(this::receiveAlways))
            .subscribe(null, failure -> LOG.error("The load has ended", failure));
  }

  @Override
  public void stop() {
    if (running != null) {
      running.dispose();
      running = null;
    }
  }

  @Override
  public boolean isRunning() {
    return running != null;
  }

  /** Looks for the peer, again and again, and counts what it writes here while it is there. */
  private Flux<Void> receiveAlways(Link link) {
    return Mono.defer(() -> engine.peer(link.at))
        .flatMap(peer -> receive(link, peer))
        .onErrorResume(failure -> {
          link.lost(failure);
          return Mono.empty();
        })
        .repeatWhen(ends -> ends.delayElements(BETWEEN_LOOKS));
  }

  /** With memory and an immediate for this peer alone, both given back whatever ends it. */
  private Mono<Void> receive(Link link, Peer peer) {
    MemorySegment memory = Arena.ofAuto().allocate(properties.writeSize().toBytes());
    return Mono.usingWhen(
        engine.register(memory),
        region ->
            Mono.using(engine::lease, lease -> count(link, peer, region, lease), ImmLease::close),
        MemoryRegion::close);
  }

  private Mono<Void> count(Link link, Peer peer, MemoryRegion region, ImmLease lease) {
    return engine
        .send(peer, new Offer(region.descriptor(), lease.imm()).toMessage())
        .doOnSuccess(_ -> link.found(peer))
        .thenMany(lease.counter().boundTo(peer).every(1)) // fails when the peer is lost
        .doOnNext(_ -> link.writesArrived.increment())
        .then();
  }

  /** An offer takes the place of the one before it from there, such as after a restart. */
  private Flux<Void> writeWhereOffered() {
    MemorySegment memory = Arena.ofAuto().allocate(properties.writeSize().toBytes());
    return engine
        .register(memory)
        .flatMapMany(source ->
            engine
                .messages()
                .filter(offer -> links.containsKey(sender(offer))) // nobody else is written to
                .groupBy(this::linkOf)
                .flatMap(offers -> offers.switchMap(offer -> write(source, offers.key(), offer))));
  }

  private static HostPort sender(Message message) {
    return message.sender().address().control();
  }

  private Link linkOf(Message message) {
    return Objects.requireNonNull(links.get(sender(message)));
  }

  /** As many as the peer takes: a tick for which there is no demand is dropped. */
  private Mono<Void> write(MemoryRegion source, Link link, Message message) {
    return Flux.defer(
            () -> {
              Offer offer = Offer.ofMessage(message.bytes());
              RemoteRegion target = engine.remote(offer.region());
              WriteImm write = WriteImm.of(source.whole(), target.whole(), offer.imm());
              return engine.submit(
                  Flux.interval(properties.writeInterval())
                      .onBackpressureDrop()
                      .filter(_ -> !isPaused)
                      .map(_ -> write));
            })
        .doOnNext(_ -> link.writesDone.increment())
        .then() // asks for all that there is: the window bounds what is in flight
        .onErrorResume(failure -> {
          LOG.info("Writes to {} have ended: {}", link.name, failure.getMessage());
          return Mono.empty();
        });
  }
}
