package io.reactivetransfer.membership.dns;

import io.reactivetransfer.membership.Node;
import io.reactivetransfer.membership.NodeSink;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.Logger;
import reactor.util.Loggers;

/** One subscription: asks, tells, waits, for ever. One step at a time, whatever the thread. */
final class DnsPolling {

  private static final Logger LOG = Loggers.getLogger(DnsPolling.class);

  private final DnsQuery query;
  private final DnsClient client;
  private final NodeSink sink;
  private final Map<RecordType, List<Node>> known = new LinkedHashMap<>();
  private final Set<RecordType> failing = new HashSet<>();

  private DnsPolling(DnsQuery query, DnsClient client, NodeSink sink) {
    this.query = query;
    this.client = client;
    this.sink = sink;
  }

  static Disposable start(DnsQuery query, NodeSink sink) {
    return Flux.using(
            () -> new DnsClient(query),
            client -> new DnsPolling(query, client, sink).forEver(),
            DnsClient::close)
        .subscribeOn(Schedulers.boundedElastic())
        .subscribe(_ -> {}, sink::error);
  }

  private Flux<Duration> forEver() {
    return Mono.defer(this::once)
        .subscribeOn(Schedulers.boundedElastic()) // who the name servers are is read from a file
        .delayUntil(Mono::delay)
        .repeat();
  }

  /** Emits when to ask again. */
  private Mono<Duration> once() {
    return Flux.fromIterable(query.types())
        .concatMap(this::ask)
        .reduce(Math::min)
        .map(seconds -> query.interval(seconds == DnsAnswer.NO_RECORDS ? 0 : seconds));
  }

  /** Emits for how long the answer holds. Each is told at once: the next one may take long. */
  private Mono<Long> ask(RecordType type) {
    return Mono.defer(() -> client.ask(type))
        .doOnNext(answer -> {
          failing.remove(type);
          known.put(type, answer.nodes());
          sink.all(known.values().stream().flatMap(List::stream).toList());
        })
        .map(DnsAnswer::ttlSeconds)
        .onErrorResume(failure -> {
          log(type, failure);
          return Mono.just(0L);
        });
  }

  private void log(RecordType type, Throwable failure) {
    if (failing.add(type)) {
      LOG.warn(
          "cannot look up {} records of {} for now, keeps what it knows, and goes on trying: {}",
          type.type().name(),
          query.host(),
          failure.toString());
    }
  }
}
