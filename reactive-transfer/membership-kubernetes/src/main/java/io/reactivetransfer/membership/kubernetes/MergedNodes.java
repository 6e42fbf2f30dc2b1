package io.reactivetransfer.membership.kubernetes;

import io.reactivetransfer.membership.Node;
import io.reactivetransfer.membership.NodeSink;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * The nodes of all slices of a service. Kubernetes moves endpoints from one slice to another by a
 * write to each, so that for a moment a node may be in two of them, or in none: what is in none is
 * not told to have left before a time of grace is over, unless its place is needed. Nothing is told
 * before the first list is whole, so that a node begins with its best address. All happens on one
 * worker.
 */
final class MergedNodes {

  private static final Logger LOG = Loggers.getLogger(MergedNodes.class);

  private final Scheduler.Worker worker;
  private final ServiceQuery query;
  private final int maxNodes;
  private final NodeSink sink;
  private final Map<String, Set<String>> names = new HashMap<>();
  private final Map<String, Map<String, Found>> slicesOf = new HashMap<>();
  private final Set<String> told = new HashSet<>();
  private final Map<String, Disposable> leaving = new LinkedHashMap<>();
  private boolean isTelling;
  private boolean isTwiceWarned;

  /**
   * Without any.
   *
   * @param worker that calls this, and shall call it when a time of grace is over
   * @param maxNodes the most that the sink takes
   */
  MergedNodes(Scheduler.Worker worker, ServiceQuery query, int maxNodes, NodeSink sink) {
    this.worker = worker;
    this.query = query;
    this.maxNodes = maxNodes;
    this.sink = sink;
  }

  /** The first list is whole: what there is by now is told, and then each change. */
  void beginToTell() {
    if (!isTelling) {
      isTelling = true;
      tell(slicesOf.keySet());
    }
  }

  boolean isTelling() {
    return isTelling;
  }

  /** What a slice says now, and nothing else; nothing at all if it is gone. */
  void put(String slice, List<Found> found) {
    Map<String, Found> now = new HashMap<>();
    found.forEach(each -> now.merge(each.node().name(), each, MergedNodes::best));
    Set<String> affected = new HashSet<>(now.keySet());
    Set<String> before =
        now.isEmpty() ? names.remove(slice) : names.put(slice, Set.copyOf(now.keySet()));
    if (before != null) {
      affected.addAll(before);
      before.stream().filter(name -> !now.containsKey(name)).forEach(name -> remove(name, slice));
    }
    now.forEach((name, each) -> add(name, slice, each));
    if (isTelling) {
      tell(affected);
    }
  }

  /** What a slice says anew comes last, and what it says as before stays where it was. */
  private void add(String name, String slice, Found found) {
    Map<String, Found> slices = slicesOf.computeIfAbsent(name, _ -> new LinkedHashMap<>());
    if (!found.equals(slices.get(slice))) {
      slices.remove(slice);
      slices.put(slice, found);
    }
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

  /** Those that leave are told first, so that they do not count beside those that come. */
  private void tell(Collection<String> affected) {
    Map<String, Node> there = new HashMap<>();
    for (String name : affected) {
      Collection<Found> listed = slicesOf.getOrDefault(name, Map.of()).values();
      Found best = listed.stream().reduce(MergedNodes::bestOrLater).orElse(null);
      if (best != null && best.isCounted()) {
        there.put(name, best.node());
        warnOfTwo(best, listed);
      } else if (best != null || query.grace().isZero()) {
        leave(name);
      } else if (told.contains(name) && !leaving.containsKey(name)) {
        leaveLater(name);
      }
    }
    there.keySet().forEach(this::stays);
    there.forEach(this::exists);
  }

  private void exists(String name, Node node) {
    if (told.add(name) && told.size() > maxNodes && !leaving.isEmpty()) {
      leave(leaving.keySet().iterator().next());
    }
    sink.exists(node);
  }

  /** Of equally good ones the later. */
  private static Found bestOrLater(Found earlier, Found later) {
    return Found.BEST_FIRST.compare(earlier, later) < 0 ? earlier : later;
  }

  private void warnOfTwo(Found best, Collection<Found> listed) {
    if (!isTwiceWarned
        && listed.stream()
            .anyMatch(each ->
                Found.BEST_FIRST.compare(each, best) == 0
                    && !each.node().address().equals(best.node().address()))) {
      isTwiceWarned = true;
      LOG.warn(
          "two EndpointSlices of {} list the pod {} at different addresses; the one that came last"
              + " is taken, {}. It is not warned of others",
          query,
          best.node().name(),
          best.node().address());
    }
  }

  private void leaveLater(String name) {
    try {
      leaving.put(
          name,
          worker.schedule(() -> leave(name), query.grace().toMillis(), TimeUnit.MILLISECONDS));
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
