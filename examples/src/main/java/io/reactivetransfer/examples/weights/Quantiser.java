package io.reactivetransfer.examples.weights;

import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.kernel.PrepareFunction;
import io.reactivetransfer.weights.kernel.PrepareTask;
import io.reactivetransfer.weights.plan.Input;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Step;
import io.reactivetransfer.weights.plan.TableTensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Does all that a trainer prepares for an update, and writes nothing: how fast could that be? */
final class Quantiser {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final RoutingTable table;
  private final List<Step.Prepare> steps = new ArrayList<>();
  private final List<MemorySegment> own;
  private final int threads;

  Quantiser(RoutingTable table, int rank, List<MemorySegment> own, int threads) {
    this.table = table;
    this.own = own;
    this.threads = threads;
    for (Step step : table.steps(rank)) {
      if (step instanceof Step.Prepare prepare) {
        steps.add(prepare);
      }
    }
  }

  /**
   * Once over all, on as many threads as a run has; returns nanoseconds, and those of a CPU that
   * the threads took.
   */
  String run() {
    AtomicInteger next = new AtomicInteger();
    try (Arena arena = Arena.ofShared();
        ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      // What is gathered lies elsewhere in a run; how long it takes is the same.
      long gathered = steps.stream().mapToLong(Step.Prepare::gatherBytes).max().orElse(0);
      MemorySegment scratch = arena.allocate(Math.max(1, gathered), 64);
      // Each to a place of its own, as in a run: one that is in a cache already is faster.
      List<MemorySegment> outputs = new ArrayList<>();
      for (Step.Prepare step : steps) {
        long bytes = table.outputBytes(step) + table.scaleBytes(step);
        outputs.add(arena.allocate(Math.max(1, bytes), 64).fill((byte) 1));
      }
      long began = System.nanoTime();
      List<Future<Long>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        running.add(
            pool.submit(() -> {
              long before = THREADS.getCurrentThreadCpuTime();
              int at;
              while ((at = next.getAndIncrement()) < steps.size()) {
                prepare(steps.get(at), scratch, outputs.get(at));
              }
              return THREADS.getCurrentThreadCpuTime() - before;
            }));
      }
      long cpu = 0;
      for (Future<Long> one : running) {
        cpu += one.get();
      }
      return System.nanoTime() - began + " " + cpu;
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException("what prepares has failed: " + e.getMessage(), e);
    }
  }

  private void prepare(Step.Prepare step, MemorySegment gathered, MemorySegment to) {
    TableTensor tensor = table.tensors().get(step.tensor());
    Shape unit = tensor.unit();
    DataType scaleType = unit == null ? null : table.tensors().get(tensor.scales()).tensor().type();
    List<MemorySegment> inputs = new ArrayList<>();
    for (Input input : step.inputs()) {
      inputs.add(input.isGathered() ? gathered : own.get(input.place().region()));
    }
    long bytes = table.outputBytes(step);
    PrepareFunction.standard()
        .prepare(
            new PrepareTask(
                tensor,
                scaleType,
                step,
                inputs,
                to.asSlice(0, bytes),
                to.asSlice(bytes, table.scaleBytes(step))));
  }
}
