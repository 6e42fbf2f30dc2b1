package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.examples.report.FigureTable;
import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvDecode;
import io.reactivetransfer.tools.process.OnExit;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Many hand-overs from prefill processes that are killed, stopped, and fail, to this process, which
 * cancels some. However one ends: who asked is answered within its deadline, each page is given
 * back once, and nothing is written to it after that.
 */
final class Trouble {

  /** A process that was stopped counts as lost after this time. */
  static final Duration LIVENESS = Duration.ofSeconds(2);

  private static final int LANES = 2;

  /** How long prefill may believe that one runs that has ended. */
  private static final int PATIENCE_SECONDS = 10;

  private Trouble() {}

  /**
   * Runs it.
   *
   * @param handOvers how many
   * @param slack what a machine with other things to do may take longer
   * @param faults is told what should not be
   * @return the lines of the table
   */
  static String run(Plan plan, int handOvers, Duration slack, List<String> faults)
      throws IOException, InterruptedException, ExecutionException {
    List<String> found = new CopyOnWriteArrayList<>();
    TroubleTally tally = new TroubleTally();
    FigureTable table = new FigureTable();
    table.line(
        "trouble",
        "%d hand-overs of %s over %s, %d at a time, seed %d"
            .formatted(handOvers, plan.shape(), plan.backend(), LANES, plan.seed()));
    try (Node node =
        Node.open(
            plan,
            plan.shape().layout(LANES),
            Node.options(plan).livenessDeadline(LIVENESS).build())) {
      KvDecode decode = KvCache.open(node.engine, "decode").decode(Node.MODEL, node.memory);
      GuardedPages pages = new GuardedPages(node, found);
      List<TroubleLane> lanes = new ArrayList<>();
      for (int i = 0; i < LANES; i++) {
        lanes.add(new TroubleLane(plan, node, decode, pages, tally, slack, found));
      }
      try (OnExit _ = OnExit.run(() -> lanes.forEach(TroubleLane::close))) {
        run(lanes, handOvers);
        for (TroubleLane lane : lanes) {
          requireEnded(lane, found);
        }
      } finally {
        lanes.forEach(TroubleLane::close);
      }
      if (decode.held() > 0) {
        found.add(decode.held() + " hand-overs hold their pages for ever");
      }
      tally.into(table);
      table.line(
          "pages",
          "all %d are back; looked %,d times at what was given back"
              .formatted(node.memory.layout().pages(), pages.lookAtAll()));
      decode.dispose();
    }
    faults.addAll(found);
    return table.text();
  }

  private static void run(List<TroubleLane> lanes, int handOvers)
      throws InterruptedException, ExecutionException {
    AtomicInteger next = new AtomicInteger();
    List<Future<?>> running = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(lanes.size())) {
      for (TroubleLane lane : lanes) {
        running.add(
            threads.submit(() -> {
              int number;
              while ((number = next.getAndIncrement()) < handOvers) {
                lane.run(number);
              }
              return number;
            }));
      }
      for (Future<?> one : running) {
        one.get();
      }
    }
  }

  private static void requireEnded(TroubleLane lane, List<String> faults)
      throws IOException, InterruptedException {
    int open = lane.open();
    for (int second = 0; open > 0 && second < PATIENCE_SECONDS; second++) {
      TimeUnit.SECONDS.sleep(1);
      open = lane.open();
    }
    if (open > 0) {
      faults.add(open + " hand-overs still run at prefill");
    }
  }
}
