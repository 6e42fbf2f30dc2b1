package io.reactivetransfer.tck;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.GatherList;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Signal;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.publisher.Sinks;

/** Engines that treat what is submitted to them with one defect. */
final class StreamSaboteurs {

  private static final ScheduledExecutorService TIMER =
      Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "sabotage-timer");
        thread.setDaemon(true);
        return thread;
      });

  static final List<Saboteur> ALL =
      List.of(
          many("3.3", "lets an error overtake results", Overtaken::new).entailing("5.4"),
          Saboteur.engine("4.1", "posts what was cancelled", PostsCancelled::new),
          Saboteur.engine("4.3", "does not tell upstream of a cancel", KeepsUpstream::new),
          Saboteur.engine("4.4", "ends all streams when one is cancelled", EndsAll::new)
              .entailing("5.4", "12.11"),
          Saboteur.engine("5.2", "takes an error from upstream for its end", SwallowsError::new)
              .entailing("8.6"),
          many("5.3", "says twice that it has failed", FailsTwice::new).entailing("9.4"),
          many("5.4", "leaves a stream waiting whose subscriber throws", IgnoresThrown::new),
          Saboteur.engine("6.1", "asks upstream for more than demand", AsksForAll::new),
          Saboteur.engine("6.7", "serves one stream after another", OneAfterAnother::new),
          Saboteur.engine("6.7", "takes the last pages first", LastPagesFirst::new)
              .entailing("6.1"),
          Saboteur.engine("6.8", "waits until a request is over", AfterRequest::new),
          Saboteur.engine("7.1", "does not say which peer was lost", ForgetsPeer::new),
          one("10.4", "does not count the last part of a scatter", StreamSaboteurs::quietLastPart),
          one("10.5", "forgets the last member of a group", StreamSaboteurs::withoutLastMember)
              .entailing("8.4"),
          one("11.2", "sorts the target pages", StreamSaboteurs::sortedPages),
          one("10.7", "counts a page once for each row", StreamSaboteurs::rowByRow)
              .entailing("1.6"),
          one("11.8", "leaves no gaps between rows", StreamSaboteurs::withoutGaps).entailing("1.6"),
          one("11.9", "sorts a list of rows", StreamSaboteurs::sortedRows).entailing("1.7"),
          one("11.9", "takes each row of a list once", StreamSaboteurs::distinctRows)
              .entailing("1.7"),
          one("11.3", "mixes up the parts of a scatter", StreamSaboteurs::mixedParts),
          Saboteur.engine("12.6", "accepts signals to foreign peers", SwallowsForeign::new),
          many("12.9", "takes a rejected transfer for the end", EndsAtRejected::new),
          Saboteur.engine("12.11", "forgets streams with foreign elements", ForgetsForeign::new),
          Saboteur.engine("15.1", "leaves idle streams open when it closes", LeavesOpen::new)
              .entailing("8.1", "12.11"));

  private StreamSaboteurs() {}

  /** Another interceptor for each stream. */
  private interface StreamInterceptor {
    <T extends Transfer> Interceptor<T> apply(CoreSubscriber<? super T> actual);
  }

  private static Saboteur many(String rule, String defect, StreamInterceptor interceptor) {
    return Saboteur.engine(
        rule,
        defect,
        engine ->
            new ForwardingEngine(engine) {
              @Override
              public <T extends Transfer> Flux<T> submit(Publisher<? extends T> transfers) {
                return Interceptor.on(inner.<T>submit(transfers), interceptor::apply);
              }
            });
  }

  /** A plain write that is submitted alone waits for the streams before it. */
  private static final class OneAfterAnother extends ForwardingEngine {
    private final AtomicReference<Mono<Void>> before = new AtomicReference<>(Mono.empty());

    OneAfterAnother(TransferEngine inner) {
      super(inner);
    }

    @Override
    public <T extends Transfer> Flux<T> submit(Publisher<? extends T> transfers) {
      Sinks.Empty<Void> ended = Sinks.empty();
      before.set(ended.asMono());
      return inner.<T>submit(transfers).doFinally(_ -> ended.tryEmitEmpty());
    }

    @Override
    public <T extends Transfer> Mono<T> submit(T transfer) {
      Mono<T> submitted = inner.submit(transfer);
      return transfer instanceof Write ? Mono.defer(() -> before.get().then(submitted)) : submitted;
    }
  }

  /** Of transfers of pages that come one behind the other, the last one goes first. */
  private static final class LastPagesFirst extends ForwardingEngine {

    LastPagesFirst(TransferEngine inner) {
      super(inner);
    }

    @Override
    public <T extends Transfer> Flux<T> submit(Publisher<? extends T> transfers) {
      return inner.submit(
          Flux.<T>from(transfers)
              .bufferUntil(transfer -> !(transfer instanceof PagedWrite))
              .concatMapIterable(List::reversed, 1));
    }
  }

  /** Submits another transfer than it was given. */
  private static Saboteur one(String rule, String defect, UnaryOperator<Transfer> change) {
    return Saboteur.engine(
        rule,
        defect,
        engine ->
            new ForwardingEngine(engine) {
              @Override
              public <T extends Transfer> Mono<T> submit(T transfer) {
                Transfer changed = change.apply(transfer);
                return changed == transfer
                    ? inner.submit(transfer)
                    : inner.submit(changed).thenReturn(transfer);
              }
            });
  }

  private static final class Overtaken<T> extends Interceptor<T> {
    private volatile boolean failed;

    Overtaken(CoreSubscriber<? super T> actual) {
      super(actual);
    }

    private void later(Runnable signal) {
      TIMER.schedule(
          () -> {
            if (!failed) {
              signal.run();
            }
          },
          3,
          TimeUnit.MILLISECONDS);
    }

    @Override
    public void onNext(T value) {
      later(() -> super.onNext(value));
    }

    @Override
    public void onComplete() {
      later(super::onComplete);
    }

    @Override
    public void onError(Throwable t) {
      failed = true;
      super.onError(t);
    }
  }

  private static final class PostsCancelled extends ForwardingEngine {
    PostsCancelled(TransferEngine inner) {
      super(inner);
    }

    @Override
    public <T extends Transfer> Mono<T> submit(T transfer) {
      return Interceptor.deaf(inner.submit(transfer));
    }
  }

  private static final class KeepsUpstream extends ForwardingEngine {
    KeepsUpstream(TransferEngine inner) {
      super(inner);
    }

    @Override
    public <T extends Transfer> Flux<T> submit(Publisher<? extends T> transfers) {
      boolean[] cancelled = new boolean[1];
      Flux<T> deaf =
          Interceptor.on(
              Flux.from(transfers),
              actual ->
                  new Interceptor<>(actual) {
                    @Override
                    public void cancel() {
                      if (!cancelled[0]) {
                        super.cancel();
                      }
                    }
                  });
      return inner.submit(deaf).doOnCancel(() -> cancelled[0] = true);
    }
  }

  private static final class EndsAll extends ForwardingEngine {
    private final Sinks.Many<Boolean> cancelled = Sinks.many().multicast().directBestEffort();

    EndsAll(TransferEngine inner) {
      super(inner);
    }

    @Override
    public <T extends Transfer> Flux<T> submit(Publisher<? extends T> transfers) {
      return inner
          .<T>submit(transfers)
          .takeUntilOther(cancelled.asFlux())
          .doFinally(end -> {
            if (end == SignalType.CANCEL) {
              cancelled.tryEmitNext(true);
            }
          });
    }
  }

  private static final class SwallowsError extends ForwardingEngine {
    SwallowsError(TransferEngine inner) {
      super(inner);
    }

    @Override
    public <T extends Transfer> Flux<T> submit(Publisher<? extends T> transfers) {
      return inner.submit(Flux.from(transfers).onErrorComplete());
    }
  }

  private static final class FailsTwice<T> extends Interceptor<T> {
    FailsTwice(CoreSubscriber<? super T> actual) {
      super(actual);
    }

    @Override
    public void onError(Throwable t) {
      super.onError(t);
      if (t instanceof TransferFailedException) {
        super.onError(t);
      }
    }
  }

  private static final class IgnoresThrown<T> extends Interceptor<T> {
    private boolean thrown;

    IgnoresThrown(CoreSubscriber<? super T> actual) {
      super(actual);
    }

    @Override
    public void onNext(T value) {
      try {
        super.onNext(value);
      } catch (Error e) {
        thrown = true;
      }
    }

    @Override
    public void onComplete() {
      if (!thrown) {
        super.onComplete();
      }
    }
  }

  /** Passes on what comes within a request when the request is over. */
  private static final class AfterRequest extends ForwardingEngine {
    AfterRequest(TransferEngine inner) {
      super(inner);
    }

    @Override
    public <T extends Transfer> Flux<T> submit(Publisher<? extends T> transfers) {
      return inner.<T>submit(Interceptor.on(Flux.<T>from(transfers), Holding::new));
    }

    private static final class Holding<T> extends Interceptor<T> {
      private final Queue<Runnable> held = new ArrayDeque<>();
      private volatile Thread asking;

      Holding(CoreSubscriber<? super T> actual) {
        super(actual);
      }

      @Override
      public void request(long n) {
        asking = Thread.currentThread();
        super.request(n);
        asking = null;
        while (!held.isEmpty()) {
          held.remove().run();
        }
      }

      private void pass(Runnable signal) {
        if (asking == Thread.currentThread()) {
          held.add(signal);
        } else {
          signal.run();
        }
      }

      @Override
      public void onNext(T value) {
        pass(() -> super.onNext(value));
      }

      @Override
      public void onComplete() {
        pass(super::onComplete);
      }
    }
  }

  private static final class ForgetsForeign extends ForwardingEngine {
    ForgetsForeign(TransferEngine inner) {
      super(inner);
    }

    @Override
    public <T extends Transfer> Flux<T> submit(Publisher<? extends T> transfers) {
      return inner
          .<T>submit(transfers)
          .onErrorResume(
              TransferRejectedException.class,
              e ->
                  String.valueOf(e.getMessage()).contains("of another one")
                      ? Flux.never()
                      : Flux.error(e));
    }
  }

  private static final class AsksForAll extends ForwardingEngine {
    AsksForAll(TransferEngine inner) {
      super(inner);
    }

    @Override
    public <T extends Transfer> Flux<T> submit(Publisher<? extends T> transfers) {
      return inner.submit(Flux.from(transfers).limitRate(64));
    }
  }

  private static final class ForgetsPeer extends ForwardingEngine {
    ForgetsPeer(TransferEngine inner) {
      super(inner);
    }

    @Override
    public <T extends Transfer> Mono<T> submit(T transfer) {
      return inner
          .submit(transfer)
          .onErrorMap(
              PeerUnreachableException.class,
              lost -> new PeerUnreachableException(String.valueOf(lost.getMessage())));
    }
  }

  private static Transfer quietLastPart(Transfer transfer) {
    if (!(transfer instanceof Scatter scatter) || scatter.imm() == null) {
      return transfer;
    }
    return new Scatter(scatter.parts().subList(0, scatter.parts().size() - 1), scatter.imm());
  }

  private static Transfer withoutLastMember(Transfer transfer) {
    if (!(transfer instanceof Signal signal) || signal.group().size() == 1) {
      return transfer;
    }
    var peers = signal.group().peers();
    return Signal.of(new PeerGroup(peers.subList(0, peers.size() - 1)), signal.imm());
  }

  private static Transfer sortedPages(Transfer transfer) {
    if (!(transfer instanceof PagedWrite write) || write.rows() != null) {
      return transfer;
    }
    int[] sorted = write.target().pages().toArray();
    Arrays.sort(sorted);
    var target =
        new PagedWrite.Side<>(write.target().slice(), PageList.of(sorted), write.target().stride());
    return PagedWrite.of(write.pageLength(), write.source(), target, write.imm());
  }

  private static Transfer rowByRow(Transfer transfer) {
    if (!(transfer instanceof PagedWrite write) || write.rows() == null) {
      return transfer;
    }
    PagedWrite.Rows rows = write.rows();
    List<Scatter.Part> parts = new ArrayList<>();
    for (int i = 0; i < write.pages(); i++) {
      for (int row = 0; row < rows.count(); row++) {
        MemorySlice source = write.source().slice();
        RemoteSlice target = write.target().slice();
        long from = write.source().pages().get(i) * write.source().stride();
        long to = write.target().pages().get(i) * write.target().stride();
        from += source.offset() + row * rows.sourceStride();
        to += target.offset() + row * rows.targetStride();
        parts.add(
            new Scatter.Part(
                source.region().slice(from, rows.length()),
                target.region().slice(to, rows.length())));
      }
    }
    return new Scatter(parts, write.imm());
  }

  private static Transfer withoutGaps(Transfer transfer) {
    if (!(transfer instanceof PagedWrite write) || write.rows() == null) {
      return transfer;
    }
    PagedWrite.Rows rows = write.rows();
    if (write.target().stride() < rows.targetStride()) {
      return transfer; // each page lies between the rows of the others
    }
    var dense =
        new PagedWrite.Rows(rows.count(), rows.length(), rows.sourceStride(), rows.length());
    return PagedWrite.of(dense, write.source(), write.target(), write.imm());
  }

  private static Transfer sortedRows(Transfer transfer) {
    return withRows(transfer, IntStream::sorted);
  }

  private static Transfer distinctRows(Transfer transfer) {
    return withRows(transfer, IntStream::distinct);
  }

  private static Transfer withRows(Transfer transfer, UnaryOperator<IntStream> change) {
    if (!(transfer instanceof AimedWrite write) || write.list() == null) {
      return transfer;
    }
    GatherList list = write.list();
    GatherList changed = list.copy().clear();
    change.apply(IntStream.range(0, list.size()).map(list::get)).forEach(changed::add);
    return AimedWrite.between(write.source(), write.target(), write.imm())
        .aim(changed, write.sourceOffset(), write.targetOffset());
  }

  private static Transfer mixedParts(Transfer transfer) {
    if (!(transfer instanceof Scatter scatter) || scatter.parts().size() < 6) {
      return transfer;
    }
    List<Scatter.Part> parts = new ArrayList<>(scatter.parts());
    Scatter.Part first = parts.get(0);
    Scatter.Part last = parts.get(5);
    parts.set(0, new Scatter.Part(last.source(), first.target()));
    parts.set(5, new Scatter.Part(first.source(), last.target()));
    return new Scatter(parts, scatter.imm());
  }

  private static final class SwallowsForeign extends ForwardingEngine {
    SwallowsForeign(TransferEngine inner) {
      super(inner);
    }

    @Override
    public <T extends Transfer> Mono<T> submit(T transfer) {
      try {
        return inner.submit(transfer);
      } catch (TransferRejectedException e) {
        if (transfer instanceof Signal) {
          return Mono.just(transfer);
        }
        throw e;
      }
    }
  }

  private static final class EndsAtRejected<T> extends Interceptor<T> {
    private boolean emitted;

    EndsAtRejected(CoreSubscriber<? super T> actual) {
      super(actual);
    }

    @Override
    public void onNext(T value) {
      emitted = true;
      super.onNext(value);
    }

    @Override
    public void onError(Throwable t) {
      if (emitted && t instanceof TransferRejectedException) {
        super.onComplete();
      } else {
        super.onError(t);
      }
    }
  }

  private static final class LeavesOpen extends ForwardingEngine {
    LeavesOpen(TransferEngine inner) {
      super(inner);
    }

    @Override
    public <T extends Transfer> Flux<T> submit(Publisher<? extends T> transfers) {
      return Flux.defer(() -> {
        if (inner.isClosed()) {
          return inner.<T>submit(transfers);
        }
        boolean[] emitted = new boolean[1];
        return inner
            .<T>submit(transfers)
            .doOnNext(transfer -> emitted[0] = true)
            .onErrorResume(
                TransferRejectedException.class, e -> emitted[0] ? Flux.error(e) : Flux.never());
      });
    }
  }
}
