package io.reactivetransfer.tools.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Runs two pairs of engines at the same time, between two sides. One pair lives all the time, so
 * that what grows in an engine is seen; the other one begins anew every now and then, with one NIC
 * and with several, so that what an engine leaves behind is seen.
 */
final class Soak {

  private static final int SAMPLES_PER_MINUTE = 6;
  private static final long SAMPLE_NANOS = 60_000_000_000L / SAMPLES_PER_MINUTE;

  private final Plan plan;
  private final List<Side> sides;
  private final Consumer<String> out;
  private final long beganNanos = System.nanoTime();
  private final List<Flatness> flatness = List.of(new Flatness(), new Flatness());

  Soak(Plan plan, List<Side> sides, Consumer<String> out) {
    this.plan = plan;
    this.sides = sides;
    this.out = out;
  }

  /**
   * Returns when the time is over and all has come to rest.
   *
   * @throws SoakFailure the first promise that was broken
   */
  void run() throws InterruptedException {
    CompletableFuture<Void> all = new CompletableFuture<>();
    Thread steady = lane("steady", all, this::steady);
    Thread changing = lane("changing", all, this::changing);
    CompletableFuture<Void> end = all;
    Thread ends =
        Thread.ofVirtual()
            .start(() -> {
              join(steady);
              join(changing);
              end.complete(null);
            });
    try {
      out.accept(Table.head());
      observe(all);
    } finally {
      List.of(steady, changing, ends).forEach(Thread::interrupt);
    }
    judgeGrowth();
  }

  private interface Life {
    void run(Lane lane) throws InterruptedException;
  }

  private Thread lane(String name, CompletableFuture<Void> all, Life life) {
    return Thread.ofVirtual()
        .name(name)
        .start(() -> {
          try {
            life.run(new Lane(name, sides));
          } catch (InterruptedException | RuntimeException e) {
            all.completeExceptionally(e);
          }
        });
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void steady(Lane lane) throws InterruptedException {
    lane.live(new Task(0, 0, plan.nics(), plan.time().toMillis()));
  }

  private void changing(Lane lane) throws InterruptedException {
    long phase = plan.has(Feature.REOPENINGS) ? plan.phase().toMillis() : plan.time().toMillis();
    for (int life = 0; ; life++) {
      long left = plan.time().toMillis() - (System.nanoTime() - beganNanos) / 1_000_000;
      if (left <= 0) {
        return;
      }
      int nics = life % 2 == 0 ? 1 : plan.nics();
      lane.live(new Task(1, life, nics, Math.min(left, phase)));
    }
  }

  private void observe(CompletableFuture<Void> all) throws InterruptedException {
    for (int count = 1; ; count++) {
      long due = beganNanos + count * SAMPLE_NANOS;
      try {
        all.get(Math.max(0, due - System.nanoTime()), TimeUnit.NANOSECONDS);
        print("end", samples());
        return;
      } catch (TimeoutException e) {
        observe(count);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof SoakFailure failure) {
          throw failure;
        }
        throw new SoakFailure(String.valueOf(e.getCause()), e.getCause());
      }
    }
  }

  private void observe(int count) throws InterruptedException {
    if ((count - 1) * SAMPLE_NANOS > plan.time().toNanos()) {
      return; // it comes to rest
    }
    List<Sample> samples = samples();
    int minute = (count - 1) / SAMPLES_PER_MINUTE;
    for (int side = 0; side < sides.size(); side++) {
      flatness.get(side).add(minute, samples.get(side));
    }
    if (count % SAMPLES_PER_MINUTE == 0) {
      print(String.valueOf(minute + 1), samples);
    }
  }

  private List<Sample> samples() throws InterruptedException {
    List<Sample> samples = new ArrayList<>();
    for (Side side : sides) {
      samples.add(Sample.of(side.ask(Host.SAMPLE)));
    }
    return samples;
  }

  private void print(String minute, List<Sample> samples) {
    for (int side = 0; side < samples.size(); side++) {
      out.accept(Table.row(minute, side, samples.get(side)));
    }
  }

  private void judgeGrowth() {
    for (int side = 0; side < sides.size(); side++) {
      String growth = flatness.get(side).growth();
      if (growth != null) {
        throw new SoakFailure("side " + side + " has grown: " + growth, null);
      }
    }
  }
}
