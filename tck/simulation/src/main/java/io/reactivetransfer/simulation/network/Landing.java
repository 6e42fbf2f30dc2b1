package io.reactivetransfer.simulation.network;

import java.util.SplittableRandom;

/**
 * How one write reaches the memory of its target: in one part or several, in any order, as a whole
 * or, when it fails, not quite. The key is looked up for each part, so a revoked one stops it
 * half-way.
 */
final class Landing {

  private static final int MAX_PARTS = 4;

  /** By how many times the usual latency something may come late. */
  private static final int LATEST = 200;

  /** What becomes of it. */
  private enum Fate {
    DONE,
    NOTHING_LANDS,
    HALF_LANDS,
    ALL_LANDS_AND_FAILS
  }

  private final SimulatedNetwork network;
  private final SimulatedWrite write;
  private final LinkEnd end;
  private final SimulatedDomain target;
  private final SplittableRandom random;
  private Fate fate = Fate.DONE;
  private int partsLeft;

  Landing(SimulatedNetwork network, SimulatedWrite write, SimulatedDomain target) {
    this.network = network;
    this.write = write;
    this.end = write.end;
    this.target = target;
    this.random = network.random();
  }

  /** Sends it off. */
  void begin() {
    Weather weather = network.weather();
    if (Weather.happens(weather.fail(), random)) {
      fate = Fate.values()[1 + random.nextInt(3)];
    }
    if (!weather.sourceFree()) {
      sendParts();
      return;
    }
    network
        .time()
        .after(
            end.latency(),
            () -> {
              if (write.dead) {
                return;
              }
              if (fate != Fate.DONE) {
                end.refuse(write, false);
                return;
              }
              // from here on nobody asks the source, and nobody tells the origin what became of it
              write.capture(network.observer());
              end.acknowledge(write);
              sendParts();
            });
  }

  private void sendParts() {
    boolean split = write.length > 1 && Weather.happens(network.weather().split(), random);
    int parts = split ? 2 + random.nextInt(MAX_PARTS - 1) : 1;
    partsLeft = parts;
    for (int part = 0; part < parts; part++) {
      long begin = write.length * part / parts;
      long limit = write.length * (part + 1) / parts;
      network.time().after(end.latency(), () -> land(begin, limit));
    }
  }

  private void land(long begin, long limit) {
    if (write.dead) {
      return;
    }
    SimulatedMemory memory = target.find(write.serial);
    if (memory == null || !memory.access().allowsRemoteWrite()) {
      end.refuse(write, true);
      return;
    }
    if (fate == Fate.NOTHING_LANDS) {
      end.refuse(write, false);
      return;
    }
    long until = fate == Fate.HALF_LANDS ? begin + (limit - begin) / 2 : limit;
    write.copy(memory.segment(), begin, until, network.observer());
    if (fate == Fate.HALF_LANDS) {
      end.refuse(write, false);
    } else if (--partsLeft == 0) {
      allLanded();
    }
  }

  private void allLanded() {
    end.landed(write);
    if (write.hasImm) {
      network.observer().happened("imm", target.where().engine(), write.imm);
      target.report(new Report.Arrived(end.origin(), write.imm, write.length));
    }
    if (fate == Fate.ALL_LANDS_AND_FAILS) {
      end.refuse(write, false);
    } else if (!network.weather().sourceFree()) {
      end.acknowledge(write);
    }
  }

  /**
   * The link broke: nothing of it lands, or some of it, or all; at once, or later, as long as its
   * target has not shut the link.
   *
   * @param far where it would land
   */
  void abandon(LinkEnd far) {
    if (!write.dead && random.nextInt(4) > 0) {
      long limit = random.nextInt(4) > 0 ? write.length : random.nextLong(write.length + 1);
      if (random.nextInt(4) == 0) {
        landInPart(limit);
      } else {
        if (write.readsSource()) {
          write.capture(network.observer());
        }
        int shut = far.shut();
        network
            .time()
            .after(
                far.latency() * (1 + random.nextInt(LATEST)),
                () -> {
                  if (far.shut() == shut && !target.isBroken()) {
                    landInPart(limit);
                  }
                });
      }
    }
    write.dead = true;
  }

  private void landInPart(long limit) {
    SimulatedMemory memory = target.find(write.serial);
    if (memory != null && memory.access().allowsRemoteWrite()) {
      write.copy(memory.segment(), 0, limit, network.observer());
      if (limit == write.length && write.hasImm) {
        network.observer().happened("late imm", target.where().engine(), write.imm);
        target.report(new Report.Arrived(end.origin(), write.imm, write.length));
      }
    }
  }
}
