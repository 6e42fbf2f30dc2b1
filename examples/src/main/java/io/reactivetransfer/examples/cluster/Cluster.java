package io.reactivetransfer.examples.cluster;

import io.reactivetransfer.examples.report.FigureTable;
import io.reactivetransfer.examples.worker.AskedWorker;
import io.reactivetransfer.membership.etcd.EtcdMembership;
import io.reactivetransfer.tools.process.OnExit;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;

/**
 * An etcd, the way of the nodes to it, and the processes of all nodes, which this one starts,
 * kills, and has leave.
 */
final class Cluster implements AutoCloseable {

  /** The pages, and what an engine and the client of etcd need beside them. */
  private static final long NATIVE_BYTES = 512L << 20;

  private static final int NUMBERS_OF_ONE = 10_000_000;

  private final Consumer<String> progress;
  private final Etcd etcd;
  private final EtcdRelay relay;
  private final int pauseMillis;
  private final Map<String, AskedWorker> prefills = new LinkedHashMap<>();
  private final Map<String, AskedWorker> decodes = new LinkedHashMap<>();
  private final List<AskedWorker> started = new CopyOnWriteArrayList<>();
  private final FigureTable table = new FigureTable();
  private final OnExit onExit = OnExit.run(this::closeAtExit);
  private final List<String> compactions = new ArrayList<>();
  private Requests together = Requests.NONE;
  private int prefillNumber;
  private int decodeNumber;
  private long lastSeen;

  private Cluster(Etcd etcd, EtcdRelay relay, int pauseMillis, Consumer<String> progress) {
    this.etcd = etcd;
    this.relay = relay;
    this.pauseMillis = pauseMillis;
    this.progress = progress;
  }

  /**
   * With an etcd, and no nodes.
   *
   * @param pauseMillis how long each client of a decode node waits between two requests
   */
  static Cluster open(int pauseMillis, Consumer<String> progress)
      throws IOException, InterruptedException {
    Etcd etcd = Etcd.open();
    return new Cluster(etcd, EtcdRelay.to(etcd.endpoint()), pauseMillis, progress);
  }

  /** So many more, which all start at once; returns when others can find them. */
  void addPrefills(int count) throws IOException, InterruptedException {
    Map<String, AskedWorker> more = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      String name = ClusterNode.PREFILL + "-" + prefillNumber++;
      more.put(name, start(name, ClusterNode.PREFILL, 0));
    }
    for (AskedWorker each : more.values()) {
      each.awaitAnswer();
    }
    prefills.putAll(more);
    progress.accept("started " + String.join(", ", more.keySet()));
  }

  /** So many more, which begin at once to order. */
  void addDecodes(int count) throws IOException, InterruptedException {
    Map<String, AskedWorker> more = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      String name = ClusterNode.DECODE + "-" + decodeNumber;
      int firstNumber = decodeNumber++ * NUMBERS_OF_ONE;
      more.put(name, start(name, ClusterNode.DECODE, firstNumber));
    }
    for (AskedWorker each : more.values()) {
      each.awaitAnswer();
      each.answer(DecodeNode.BEGIN);
    }
    decodes.putAll(more);
    progress.accept("started " + String.join(", ", more.keySet()));
  }

  private AskedWorker start(String name, String role, int firstNumber) throws IOException {
    AskedWorker worker =
        AskedWorker.start(
            name,
            NATIVE_BYTES,
            List.of(
                "cluster",
                "--role=" + role,
                "--name=" + name,
                "--etcd=" + relay.endpoint(),
                "--number=" + firstNumber,
                "--pause=" + pauseMillis),
            null);
    started.add(worker);
    return worker;
  }

  /** Until each decode node has seen the end of so many more requests. */
  void await(int requests) throws IOException, InterruptedException {
    decodes.values().forEach(each -> each.ask(DecodeNode.AWAIT + requests));
    Duration patience =
        DecodeNode.patience(requests, Duration.ofMillis(pauseMillis)).plus(AskedWorker.PATIENCE);
    for (AskedWorker each : decodes.values()) {
      if (each.awaitAnswer(patience) == null) {
        throw new IOException(each + " did not answer within " + patience.toSeconds() + " s");
      }
    }
  }

  /** The first one ends without a word to anybody. */
  void killPrefill() {
    Map.Entry<String, AskedWorker> first = prefills.entrySet().iterator().next();
    String name = first.getKey();
    first.getValue().close();
    prefills.remove(name);
    table.line(name, "killed");
    progress.accept("killed " + name);
  }

  /** The first one is taken away, and ends what it has begun. */
  void endPrefill() throws IOException, InterruptedException {
    endPrefill(prefills.keySet().iterator().next());
  }

  private void endPrefill(String name) throws IOException, InterruptedException {
    AskedWorker worker = Objects.requireNonNull(prefills.remove(name));
    // What it serves between this answer and its end is in the figures of who has ordered it.
    String served = worker.answer(PrefillNode.SERVED);
    worker.end();
    table.line(name, "served %,d or more, and left".formatted(Long.parseLong(served)));
    progress.accept("ended " + name);
  }

  /** The first one orders no more, and ends when it has what it had ordered. */
  void endDecode() throws IOException, InterruptedException {
    endDecode(decodes.keySet().iterator().next());
  }

  private void endDecode(String name) throws IOException, InterruptedException {
    AskedWorker worker = Objects.requireNonNull(decodes.remove(name));
    Requests requests = Requests.ofLine(worker.answer(DecodeNode.STOP));
    worker.end();
    together = together.plus(requests);
    table.line(name, requests.toString());
    progress.accept("ended " + name);
  }

  void killEtcd() throws InterruptedException {
    etcd.kill();
    progress.accept("killed etcd");
  }

  void startEtcd() throws IOException, InterruptedException {
    etcd.start();
    progress.accept("started etcd again");
  }

  /** Who has seen all changes needs none of the history that etcd drops. */
  void compact() throws IOException, InterruptedException {
    compacted("up to change %,d, all nodes connected".formatted(etcd.compact()));
  }

  private void compacted(String what) {
    compactions.add(what);
    progress.accept("compacted etcd " + what);
  }

  /** Nothing passes between etcd and the nodes, which know of each other; no connection ends. */
  void partition() throws IOException, InterruptedException {
    requireKnown();
    relay.partition();
    lastSeen = etcd.revision();
    progress.accept("cut all nodes off from etcd");
  }

  /**
   * Returns when etcd lists those that are there, and all know of them. The changes of which the
   * nodes have not heard are no more in its history by then.
   */
  void heal() throws IOException, InterruptedException {
    long last = etcd.compact();
    compacted("up to change %,d, %,d of them seen by no node".formatted(last, last - lastSeen));
    relay.heal();
    progress.accept("let all nodes reach etcd again");
    long from = System.nanoTime();
    requireListed();
    double seconds = (System.nanoTime() - from) / 1e9 - ClusterNode.LEASE.toSeconds();
    progress.accept("that took %.1f s".formatted(seconds));
    requireFollowed();
  }

  /**
   * Nobody forgotten, nobody invented, by etcd and by those who have followed it all the time, once
   * the leases of the killed are over.
   */
  void requireKnown() throws IOException, InterruptedException {
    requireListed();
    requireFollowed();
  }

  private Set<String> names() {
    Set<String> names = new TreeSet<>(prefills.keySet());
    names.addAll(decodes.keySet());
    return names;
  }

  private void requireListed() {
    Set<String> expected = names();
    EtcdMembership membership = ClusterNode.membership(etcd.endpoint());
    AtomicReference<Set<String>> listed = new AtomicReference<>(Set.of());
    try {
      KnownNodes.names(membership)
          .doOnNext(listed::set)
          // It lists one after the other, so it could be right for a moment and by chance.
          .switchMap(names -> Mono.delay(ClusterNode.LEASE).map(quiet -> names.equals(expected)))
          .filter(isRight -> isRight)
          .blockFirst(ClusterNode.PATIENCE);
    } catch (IllegalStateException late) {
      throw new IllegalStateException(
          "expected the nodes " + expected + " in etcd, got " + new TreeSet<>(listed.get()), late);
    } finally {
      membership.close().block(ClusterNode.PATIENCE);
    }
    progress.accept("etcd lists who is there: " + expected);
  }

  private void requireFollowed() throws IOException, InterruptedException {
    String all = String.join(DecodeNode.COMMA, names());
    decodes.values().forEach(each -> each.ask(DecodeNode.KNOW + all));
    for (AskedWorker each : decodes.values()) {
      each.awaitAnswer();
    }
    progress.accept("each decode node knows who is there");
  }

  /** Ends all nodes, those that order first. */
  void endAll() throws IOException, InterruptedException {
    for (String name : List.copyOf(decodes.keySet())) {
      endDecode(name);
    }
    for (String name : List.copyOf(prefills.keySet())) {
      endPrefill(name);
    }
    table.line("etcd", "compacted " + String.join("; ", compactions));
  }

  /** Of all decode nodes that have ended. */
  Requests requests() {
    return together;
  }

  /** Of all nodes that have ended, one line for each, and one of etcd. */
  FigureTable table() {
    return table;
  }

  private void destroy() {
    started.forEach(AskedWorker::close);
  }

  private void closeAtExit() {
    destroy();
    etcd.closeAtExit();
  }

  @Override
  public void close() throws IOException {
    try (onExit;
        etcd;
        relay) {
      destroy();
    }
  }
}
