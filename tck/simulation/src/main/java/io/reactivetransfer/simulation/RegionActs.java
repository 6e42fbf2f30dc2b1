package io.reactivetransfer.simulation;

import io.reactivetransfer.MemoryRegion;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** What users do with their memory. */
final class RegionActs {

  private RegionActs() {}

  static void register(World world, SplittableRandom random) {
    Node node = world.pickUp(random);
    if (node != null) {
      node.act(
          0,
          () -> {
            if (node.isUp()) {
              node.register(random.nextInt(3) == 0);
            }
          });
    }
  }

  private interface RegionAct {
    void perform(Node node, Plot plot, MemoryRegion region);
  }

  private static void withRegion(World world, SplittableRandom random, RegionAct act) {
    Node node = world.pickUp(random);
    if (node != null) {
      node.act(
          0,
          () -> {
            List<Plot> plots = node.plots();
            Plot plot = plots.isEmpty() ? null : plots.get(random.nextInt(plots.size()));
            MemoryRegion region = plot == null ? null : plot.region();
            if (plot != null && region != null && !plot.changing && node.isUp()) {
              act.perform(node, plot, region);
            }
          });
    }
  }

  static void revoke(World world, SplittableRandom random) {
    withRegion(
        world,
        random,
        (node, plot, region) -> {
          if (plot.isSource) {
            return;
          }
          plot.changing = true;
          node.revoked();
          region
              .revoke()
              .subscribe(
                  new RegionProbe(node, plot, "revoke") {
                    @Override
                    void done() {
                      plot.changing = false;
                      plot.revoked();
                    }
                  });
          if (random.nextInt(4) == 0) {
            region.revoke().subscribe(new RegionProbe(node, plot, "revoke again"));
          }
        });
  }

  static void close(World world, SplittableRandom random) {
    withRegion(
        world,
        random,
        (node, plot, region) -> {
          plot.changing = true;
          node.revoked();
          Mono<Void> close = region.close();
          close.subscribe(
              new RegionProbe(node, plot, "close region") {
                @Override
                void done() {
                  plot.free();
                }
              });
          if (random.nextBoolean()) {
            close.subscribe(new RegionProbe(node, plot, "close region again"));
          }
          if (!plot.isSource && random.nextInt(3) == 0) {
            region
                .revoke()
                .subscribe(
                    new RegionProbe(node, plot, "revoke while it closes") {
                      @Override
                      void done() {
                        plot.revoked();
                      }
                    });
          }
        });
  }

  static void quiesced(World world, SplittableRandom random) {
    withRegion(
        world,
        random,
        (node, plot, region) -> {
          int stamp = plot.stamp();
          region
              .quiesced()
              .subscribe(
                  new RegionProbe(node, plot, "quiesced") {
                    @Override
                    void done() {
                      boolean unused = plot.isSource && stamp == plot.stamp();
                      long readers = world.network().readersOf(plot.memory, 0, plot.length());
                      world
                          .referee()
                          .require(
                              !unused || readers == 0,
                              this
                                  + " completed while a NIC had "
                                  + readers
                                  + " writes of it in flight");
                    }
                  });
        });
  }

  /** Waits for something of a region. */
  private static class RegionProbe extends Probe<Void> {
    private final Plot plot;

    RegionProbe(Node node, Plot plot, String what) {
      super(node, what, true);
      this.plot = plot;
    }

    void done() {}

    @Override
    void end(@Nullable Throwable error) {
      if (error == null) {
        done();
      } else {
        node.world()
            .referee()
            .require(node.world().isForgiving(), this + " of " + plot + " failed: " + error);
      }
    }
  }
}
