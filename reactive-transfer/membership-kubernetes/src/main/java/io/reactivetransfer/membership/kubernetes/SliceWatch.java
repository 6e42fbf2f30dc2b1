package io.reactivetransfer.membership.kubernetes;

import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.reactivetransfer.membership.MembershipException;
import io.reactivetransfer.membership.NodeSink;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * One subscription: an informer of the client lists, watches, and does both again as often as
 * needed; it calls this on a thread of the client, one call at a time, and all is read and told on
 * one worker. It is begun and ended where one may block, because the client may then read a token
 * or wait for itself.
 */
final class SliceWatch implements ResourceEventHandler<EndpointSlice>, Disposable {

  private static final Logger LOG = Loggers.getLogger(SliceWatch.class);

  /** By Kubernetes, on each slice of a service. */
  private static final String SERVICE_LABEL = "kubernetes.io/service-name";

  /** An informer that has not begun yet, or waits to try again, does not hear of a close. */
  private static final Duration LOOKS_WHETHER_CLOSED = Duration.ofSeconds(1);

  private final KubernetesClient client;
  private final ServiceQuery query;
  private final NodeSink sink;
  private final SliceReader reader;
  private final Scheduler.Worker worker = Schedulers.parallel().createWorker();
  private final MergedNodes nodes;
  private final Disposable.Composite begun = Disposables.composite(worker);

  /** A list has worked; its slices are passed on before the watch behind it begins. */
  private volatile boolean listed;

  /** The version of the last list at the last failure: with another one now, a list has worked. */
  private volatile @Nullable String failedAt;

  private boolean isNothingSaid;

  private SliceWatch(KubernetesClient client, ServiceQuery query, int maxNodes, NodeSink sink) {
    this.client = client;
    this.query = query;
    this.sink = sink;
    reader = new SliceReader(query);
    nodes = new MergedNodes(worker, query, maxNodes, sink);
  }

  static Disposable start(
      KubernetesClient client, ServiceQuery query, int maxNodes, NodeSink sink) {
    SliceWatch watch = new SliceWatch(client, query, maxNodes, sink);
    try {
      Schedulers.boundedElastic().schedule(watch::begin);
    } catch (RejectedExecutionException refused) {
      watch.dispose();
      throw refused;
    }
    return watch;
  }

  private void begin() {
    try {
      SharedIndexInformer<EndpointSlice> informer =
          client
              .discovery()
              .v1()
              .endpointSlices()
              .inNamespace(query.namespace())
              .withLabel(SERVICE_LABEL, query.service())
              .runnableInformer(0)
              .addEventHandler(this);
      informer.exceptionHandler((hasStarted, failure) ->
          isTriedAgain(hasStarted, failure, informer.lastSyncResourceVersion()));
      if (begun.add(() -> stop(informer))) {
        begun.add(
            Flux.interval(LOOKS_WHETHER_CLOSED)
                .filter(_ -> isClosed())
                .subscribe(_ -> sink.error(closed()), sink::error));
        informer.stopped().whenComplete((_, reason) -> stopped(reason));
        informer.start().thenRun(() -> onWorker(this::beginToTell));
      }
    } catch (Throwable failure) {
      stopped(failure);
    }
  }

  private static void stop(SharedIndexInformer<EndpointSlice> informer) {
    try {
      Schedulers.boundedElastic().schedule(informer::stop);
    } catch (RejectedExecutionException everythingEnds) {
      informer.stop();
    }
  }

  /** For the informer, it has started only when it has listed and watches. */
  private boolean isTriedAgain(boolean hasStarted, Throwable failure, @Nullable String version) {
    boolean isByWatch = listed && !Objects.equals(version, failedAt);
    failedAt = version;
    if (isClosed()) {
      return false;
    }
    boolean isFinal = !hasStarted && (isByWatch || !listed) && Refusal.isRefusal(failure);
    if (listed && !isFinal) {
      onWorker(this::beginToTell); // the nodes of the list do not wait for a watch
    }
    return !isFinal;
  }

  private boolean isClosed() {
    return client.getHttpClient().isClosed();
  }

  private static MembershipException closed() {
    return new MembershipException("the client of Kubernetes was closed");
  }

  /** It ends by itself only where it is not to try again, or when its client is closed. */
  private void stopped(@Nullable Throwable reason) {
    if (!isDisposed()) {
      sink.error(reason == null || isClosed() ? closed() : Refusal.of(query, reason));
    }
  }

  private void beginToTell() {
    nodes.beginToTell();
    reader.warnOfTypes();
  }

  @Override
  public void onNothing() {
    listed = true;
    onWorker(() -> {
      if (!isNothingSaid) {
        isNothingSaid = true;
        LOG.warn(
            "Kubernetes has no EndpointSlice of {}, so there are no nodes yet; a service with a"
                + " selector has one even without pods, so see that there is such a service in"
                + " this namespace",
            query);
      }
    });
  }

  @Override
  public void onAdd(EndpointSlice slice) {
    if (!listed) { // a watch that is slow to begin holds the nodes of the list up no longer
      listed = true;
      onWorker(() -> worker.schedule(this::beginToTell, 100, TimeUnit.MILLISECONDS));
    }
    onWorker(() -> put(slice));
  }

  @Override
  public void onUpdate(EndpointSlice before, EndpointSlice slice) {
    onWorker(() -> put(slice));
  }

  @Override
  public void onDelete(EndpointSlice slice, boolean isLastStateUnknown) {
    onWorker(() -> {
      reader.forget(slice);
      nodes.put(slice.getMetadata().getName(), List.of());
    });
  }

  private void put(EndpointSlice slice) {
    isNothingSaid = false;
    nodes.put(slice.getMetadata().getName(), reader.read(slice));
    if (nodes.isTelling()) {
      reader.warnOfTypes();
    }
  }

  /** A slice that could not be taken in would be stale for good, so what fails ends all. */
  private void onWorker(Runnable task) {
    try {
      worker.schedule(() -> {
        try {
          task.run();
        } catch (Throwable failure) {
          sink.error(failure);
        }
      });
    } catch (RejectedExecutionException refused) {
      if (!isDisposed()) {
        sink.error(refused);
      }
    }
  }

  @Override
  public void dispose() {
    begun.dispose();
  }

  @Override
  public boolean isDisposed() {
    return begun.isDisposed();
  }
}
