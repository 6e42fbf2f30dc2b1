package io.reactivetransfer.membership.kubernetes;

import io.reactivetransfer.membership.NodeSink;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;

/**
 * The nodes of all slices of a service. Kubernetes moves endpoints from one slice to another by a
 * write to each, so that for a moment a node may be in two of them, or in none: what is in none is
 * not told to have left before a time of grace is over. All happens on one worker.
 */
final class MergedNodes {

  private final Scheduler.Worker worker;
  private final Duration grace;
  private final NodeSink sink;
  private final Map<String, Set<String>> names = new HashMap<>();
  private final Map<String, Map<String, Found>> slicesOf = new HashMap<>();
  private final Set<String> told = new HashSet<>();
  private final Map<String, Disposable> leaving = new HashMap<>();

  /**
   * Without any.
   *
   * @param worker that calls this, and shall call it when a time of grace is over
   */
  MergedNodes(Scheduler.Worker worker, Duration grace, NodeSink sink) {
    this.worker = worker;
    this.grace = grace;
    this.sink = sink;
  }

  /** What a slice says now, and nothing else; nothing at all if it is gone. */
  void put(String slice, List<Found> found) {
    Set<String> affected = new HashSet<>();
    Set<String> before = names.remove(slice);
    if (before != null) {
      before.forEach(name -> remove(name, slice));
      affected.addAll(before);
    }
    Set<String> now = new HashSet<>();
    for (Found each : found) {
      String name = each.node().name();
      slicesOf.computeIfAbsent(name, _ -> new TreeMap<>()).merge(slice, each, MergedNodes::best);
      now.add(name);
    }
    if (!now.isEmpty()) {
      names.put(slice, now);
    }
    affected.addAll(now);
    affected.forEach(this::tell);
  }

  private void remove(String name, String slice) {
    slicesOf.computeIfPresent(
        name,
        (_, slices) -> {
          slices.remove(slice);
          return slices.isEmpty() ? null : slices;
        });
  }

  private static Found best(Found one, Found other) {
    return Found.BEST_FIRST.compare(one, other) <= 0 ? one : other;
  }

  private void tell(String name) {
    Collection<Found> listed = slicesOf.getOrDefault(name, Map.of()).values();
    Optional<Found> best = listed.stream().min(Found.BEST_FIRST).filter(Found::isCounted);
    if (best.isPresent()) {
      stays(name);
      told.add(name);
      sink.exists(best.get().node());
    } else if (!listed.isEmpty() || grace.isZero()) {
      leave(name);
    } else if (told.contains(name) && !leaving.containsKey(name)) {
      leaveLater(name);
    }
  }

  private void leaveLater(String name) {
    try {
      leaving.put(
          name, worker.schedule(() -> leave(name), grace.toMillis(), TimeUnit.MILLISECONDS));
    } catch (RejectedExecutionException ended) {
      // the subscription has ended, and nobody is told anything any more
    }
  }

  private void stays(String name) {
    Disposable timer = leaving.remove(name);
    if (timer != null) {
      timer.dispose();
    }
  }

  private void leave(String name) {
    stays(name);
    if (told.remove(name)) {
      sink.gone(name);
    }
  }

  /** How many names it remembers something of. */
  int size() {
    return slicesOf.size() + told.size() + leaving.size();
  }
}
