package io.reactivetransfer.membership.kubernetes;

import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.reactivetransfer.membership.MembershipException;
import io.reactivetransfer.membership.NodeSink;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
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
 * needed; it calls this on a thread of the client, one call at a time. It is begun and ended where
 * one may block, because the client may then read a token or wait for itself.
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

  private SliceWatch(KubernetesClient client, ServiceQuery query, NodeSink sink) {
    this.client = client;
    this.query = query;
    this.sink = sink;
    reader = new SliceReader(query);
    nodes = new MergedNodes(worker, query.grace(), sink);
  }

  static Disposable start(KubernetesClient client, ServiceQuery query, NodeSink sink) {
    SliceWatch watch = new SliceWatch(client, query, sink);
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
              .exceptionHandler(this::isTriedAgain)
              .addEventHandler(this);
      if (begun.add(() -> stop(informer))) {
        begun.add(
            Flux.interval(LOOKS_WHETHER_CLOSED)
                .filter(_ -> isClosed())
                .subscribe(_ -> sink.error(closed()), sink::error));
        informer.stopped().whenComplete((_, reason) -> stopped(reason));
        informer.start();
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

  private boolean isTriedAgain(boolean hasStarted, Throwable failure) {
    return !isClosed() && (hasStarted || !Refusal.isRefusal(failure));
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

  @Override
  public void onNothing() {
    LOG.warn(
        "Kubernetes has no EndpointSlice of {}, so there are no nodes yet; a service with a"
            + " selector has one even without pods, so see that there is such a service in this"
            + " namespace",
        query);
  }

  @Override
  public void onAdd(EndpointSlice slice) {
    put(slice, reader.read(slice));
  }

  @Override
  public void onUpdate(EndpointSlice before, EndpointSlice slice) {
    put(slice, reader.read(slice));
  }

  @Override
  public void onDelete(EndpointSlice slice, boolean isLastStateUnknown) {
    reader.forget(slice);
    put(slice, List.of());
  }

  private void put(EndpointSlice slice, List<Found> found) {
    String name = slice.getMetadata().getName();
    try {
      worker.schedule(() -> nodes.put(name, found));
    } catch (RejectedExecutionException refused) {
      sink.error(refused); // which nobody hears if it was cancelled
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
