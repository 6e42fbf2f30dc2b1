package io.reactivetransfer.membership.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.common.exception.ErrorCode;
import io.etcd.jetcd.common.exception.EtcdException;
import io.etcd.jetcd.common.exception.EtcdExceptionFactory;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.support.CloseableClient;
import io.etcd.jetcd.support.Errors;
import io.etcd.jetcd.watch.WatchResponse;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/**
 * What is asked of etcd, as publishers. Each begins on {@code Schedulers.boundedElastic()}, because
 * the client may look for a password or an address when it is first used.
 */
final class EtcdCalls {

  /**
   * gRPC ends a call in time by itself, and says then what has kept it from connecting; this is for
   * calls that the client repeats, and for a client that says nothing any more.
   */
  private static final Duration BEYOND_DEADLINE = Duration.ofMillis(500);

  /**
   * How often a watch is asked for again because an etcd has no leader, which it says at once: the
   * next try goes to another one.
   */
  private static final long WATCH_RETRIES = 2;

  /** After the first try to end a lease; twice as long after each further one. */
  private static final Duration REVOKE_AGAIN = Duration.ofMillis(100);

  private static final Duration REVOKE_AGAIN_AT_LAST = Duration.ofMillis(500);

  private final Supplier<Client> client;
  private final Duration timeout;

  /**
   * Calls of a client.
   *
   * @param client is asked for each time
   * @param timeout how long one answer may take
   */
  EtcdCalls(Supplier<Client> client, Duration timeout) {
    this.client = client;
    this.timeout = timeout;
  }

  /**
   * Of signals and not of what they say, as with a watch: the call ends by itself, and may do so at
   * the moment of a cancel.
   */
  private <T> Mono<T> answer(Supplier<CompletableFuture<T>> call) {
    return Mono.defer(
            () -> {
              CompletableFuture<T> answer = call.get();
              return Mono.fromFuture(answer.handle(EtcdCalls::<T>signal))
                  .doOnCancel(() -> answer.cancel(true));
            })
        .subscribeOn(Schedulers.boundedElastic())
        .timeout(timeout.plus(BEYOND_DEADLINE))
        .<T>dematerialize();
  }

  private static <T> Signal<T> signal(@Nullable T value, @Nullable Throwable failure) {
    if (value != null) {
      return Signal.next(value);
    }
    Throwable reason = failure instanceof CompletionException e ? e.getCause() : failure;
    return Signal.error(
        reason == null ? new IllegalStateException("etcd has answered nothing") : reason);
  }

  /** A new lease; emits its id. */
  Mono<Long> grant(Duration lease) {
    long seconds = lease.toSeconds();
    return answer(() -> client.get().getLeaseClient().grant(seconds))
        .map(granted -> granted.getID());
  }

  /**
   * Ends a lease, and with it the keys that belong to it. While etcd cannot, as in an election, it
   * is asked again until the time of one call is over, since nobody else repeats this.
   */
  Mono<Void> revoke(long lease) {
    return answer(() -> client.get().getLeaseClient().revoke(lease))
        .retryWhen(
            Retry.backoff(Long.MAX_VALUE, REVOKE_AGAIN)
                .maxBackoff(REVOKE_AGAIN_AT_LAST)
                .filter(EtcdCalls::isUnavailable))
        .then()
        .materialize() // so that what fails at the moment of the timeout is no error of nobody
        .timeout(timeout)
        .dematerialize();
  }

  /**
   * Sets a key that lasts as long as a lease; emits the revision. What was there before comes
   * along, so that it is refused to who may not read: a watch cannot say so, since etcd says the
   * same of a token that it does not know.
   */
  Mono<Long> put(ByteSequence key, ByteSequence value, long lease) {
    PutOption option = PutOption.builder().withLeaseId(lease).withPrevKV().withAutoRetry().build();
    return answer(() -> client.get().getKVClient().put(key, value, option))
        .map(done -> done.getHeader().getRevision());
  }

  /** The entries from a key to before another one, the first so many, as of a revision or now. */
  Mono<GetResponse> page(ByteSequence from, ByteSequence end, int limit, long revision) {
    GetOption option =
        GetOption.builder().withRange(end).withLimit(limit).withRevision(revision).build();
    return answer(() -> client.get().getKVClient().get(from, option));
  }

  /** The first key of these, without its value. */
  Mono<GetResponse> firstKey(ByteSequence from, ByteSequence end, long revision) {
    GetOption option =
        GetOption.builder()
            .withRange(end)
            .withLimit(1)
            .withRevision(revision)
            .withKeysOnly(true)
            .build();
    return answer(() -> client.get().getKVClient().get(from, option));
  }

  /**
   * What happens to a key, or to all that begin with it, from a revision on. The first that it
   * emits, without any event, says that etcd watches. It ends with an error only, such as that etcd
   * does not begin in time, that the connection was lost, that the revision was compacted, or that
   * the user may not read this.
   */
  Flux<WatchResponse> watch(ByteSequence key, boolean isPrefix, long revision) {
    return Flux.defer(() -> {
      AtomicBoolean begun = new AtomicBoolean();
      return watchOnce(key, isPrefix, revision)
          .doOnNext(_ -> begun.set(true))
          .retryWhen(
              Retry.max(WATCH_RETRIES)
                  .filter(failure -> !begun.get() && isWithoutLeader(failure))
                  .onRetryExhaustedThrow((_, last) -> last.failure()));
    });
  }

  /** Whether an etcd that has lost the others has refused this. */
  static boolean isWithoutLeader(Throwable failure) {
    return hasReason(
        failure, each -> Errors.NO_LEADER_ERROR_MESSAGE.equals(String.valueOf(each.getMessage())));
  }

  /** Whether this may pass: there is no leader, or no connection. */
  private static boolean isUnavailable(Throwable failure) {
    return hasReason(failure, each -> each.getErrorCode() == ErrorCode.UNAVAILABLE);
  }

  /**
   * The client says of whatever has kept it from a token that it is not authenticated, with that as
   * the cause.
   */
  private static boolean hasReason(Throwable failure, Predicate<EtcdException> reason) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
        .map(EtcdExceptionFactory::toEtcdException)
        .anyMatch(reason);
  }

  private Flux<WatchResponse> watchOnce(ByteSequence key, boolean isPrefix, long revision) {
    WatchOption option =
        WatchOption.builder()
            .isPrefix(isPrefix)
            .withRevision(revision)
            .withRequireLeader(true)
            .withCreateNotify(true)
            .build();
    return Flux.<Signal<WatchResponse>>create(
            sink -> {
              Consumer<Throwable> end = ending(sink);
              Watch.Listener listener =
                  Watch.listener(
                      changes -> sink.next(Signal.next(changes)),
                      end,
                      () -> end.accept(new IllegalStateException("etcd has ended a watch")));
              Watch.Watcher watcher = client.get().getWatchClient().watch(key, option, listener);
              sink.onDispose(watcher::close);
              if (watcher.isClosed()) { // before it began, and then it says nothing by itself
                end.accept(new IllegalStateException("the client of etcd was closed"));
              }
            })
        .subscribeOn(Schedulers.boundedElastic())
        // Of signals and not of what they say: an error that comes at the moment of a cancel would
        // else be one that nobody hears.
        .timeout(Mono.delay(timeout), _ -> Flux.never(), Mono.fromSupplier(EtcdCalls::notBegun))
        .<WatchResponse>dematerialize();
  }

  private static Signal<WatchResponse> notBegun() {
    return Signal.error(new IllegalStateException("etcd has not begun a watch in time"));
  }

  /** Keeps a lease; never emits, and ends with an error when the lease is lost. */
  <T> Flux<T> keep(long lease) {
    return Flux.<Signal<T>>create(
            sink -> {
              CloseableClient keeping =
                  client.get().getLeaseClient().keepAlive(lease, new Keeper(ending(sink)));
              sink.onDispose(keeping::close);
            })
        .<T>dematerialize()
        .subscribeOn(Schedulers.boundedElastic());
  }

  /**
   * The client may say so more than once, and says so, too, when it was asked to end. An error that
   * comes at the moment of a cancel would be one that nobody hears, and logged as such; a signal
   * that does is dropped in silence.
   */
  private static <T> Consumer<Throwable> ending(FluxSink<Signal<T>> sink) {
    AtomicBoolean ended = new AtomicBoolean();
    return reason -> {
      if (ended.compareAndSet(false, true) && !sink.isCancelled()) {
        sink.next(Signal.error(reason));
      }
    };
  }

  /**
   * The client ends the keeping of a lease when etcd knows it no more, or did not answer in time.
   * Where an etcd has no leader, it goes on with another one.
   */
  private record Keeper(Consumer<Throwable> end) implements StreamObserver<LeaseKeepAliveResponse> {

    @Override
    public void onNext(LeaseKeepAliveResponse kept) {}

    @Override
    public void onError(Throwable reason) {
      if (!isWithoutLeader(reason)) {
        end.accept(reason);
      }
    }

    @Override
    public void onCompleted() {
      end.accept(new IllegalStateException("etcd has not renewed the lease in time"));
    }
  }
}
