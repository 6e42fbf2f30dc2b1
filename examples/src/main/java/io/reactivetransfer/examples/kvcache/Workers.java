package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.examples.report.Round;
import io.reactivetransfer.examples.worker.Asked;
import io.reactivetransfer.examples.worker.LocalWorker;
import io.reactivetransfer.tools.process.OnExit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Prefill and decode nodes that are ready, each in a process of its own, if it can be. */
final class Workers implements AutoCloseable {

  /** More of a run than that is compilers at work. */
  static final long SETTLED_MILLIS = 50;

  private final List<Asked> prefills = new CopyOnWriteArrayList<>();
  private final List<Asked> decodes = new CopyOnWriteArrayList<>();
  private final OnExit onExit = OnExit.run(this::destroy);

  private Workers() {}

  /** One decode node that orders from all prefill nodes, or several that order from one. */
  static Workers open(Plan plan, int prefills, int decodes)
      throws IOException, InterruptedException {
    Workers workers = new Workers();
    try {
      for (int i = 0; i < prefills; i++) {
        workers.prefills.add(start(Role.SERVE, plan.withSeed(plan.seed() + i), 1));
      }
      for (int i = 0; i < decodes; i++) {
        workers.decodes.add(start(Role.LOAD, plan, prefills));
      }
      for (Asked worker : workers.all()) {
        worker.awaitAnswer();
      }
      for (Asked prefill : workers.prefills) {
        String address = prefill.answer("address");
        for (Asked decode : workers.decodes) {
          decode.answer("from " + address);
        }
      }
      return workers;
    } catch (Throwable failure) {
      Asked.closeAfter(failure, workers);
      throw failure;
    }
  }

  private static Asked start(Role role, Plan plan, int handOvers) throws IOException {
    return plan.backend().equals("loopback")
        ? new LocalWorker(role.open(plan, handOvers))
        : WorkerProcess.start(role, plan, handOvers);
  }

  private List<Asked> all() {
    List<Asked> all = new ArrayList<>(prefills);
    all.addAll(decodes);
    return all;
  }

  /** Runs all pairs at once for so long; bytes in a second of each. */
  List<Long> run(long nanos) throws IOException, InterruptedException {
    decodes.forEach(decode -> decode.ask("run " + nanos));
    List<Long> rates = new ArrayList<>();
    for (Asked decode : decodes) {
      Arrays.stream(decode.awaitAnswer().split(" ")).map(Long::valueOf).forEach(rates::add);
    }
    return rates;
  }

  /** Milliseconds that the compilers of all have worked so far. */
  long compiledMillis() throws IOException, InterruptedException {
    long sum = 0;
    for (Asked worker : all()) {
      sum += Long.parseLong(worker.answer("compiled"));
    }
    return sum;
  }

  /**
   * Runs until the compilers of all have hardly anything to do, or for so many rounds for each
   * process: they share the processors, so that nine of them take longer than two.
   */
  void warmUp(int roundsEach, Round round) throws IOException, InterruptedException {
    long compiled = -1;
    int rounds = roundsEach * all().size();
    for (int i = 0; i < rounds; i++) {
      run(round.nanos());
      long now = compiledMillis();
      if (compiled >= 0 && now - compiled <= SETTLED_MILLIS) {
        return;
      }
      compiled = now;
    }
  }

  /** Has every pair hand over once more, and compares every page; returns how many. */
  long verify() throws IOException, InterruptedException {
    long pages = 0;
    for (Asked decode : decodes) {
      pages += Long.parseLong(decode.answer("verify"));
    }
    return pages;
  }

  private void destroy() {
    all().forEach(Asked::close);
  }

  /** Has all end by themselves, and ends those that do not. */
  @Override
  public void close() throws IOException {
    try (onExit) {
      List<Asked> inOrder = new ArrayList<>(decodes);
      inOrder.addAll(prefills);
      Asked.endInTurn(inOrder);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      destroy();
    }
  }
}
