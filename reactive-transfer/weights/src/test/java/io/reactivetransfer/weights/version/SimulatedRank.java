package io.reactivetransfer.weights.version;

import io.reactivetransfer.Imm;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A rank of a simulated world: its machine, its memory, and its readers. What actions lead to is
 * done later, in turn.
 */
final class SimulatedRank implements RankMachine.Actions<Integer> {

  /** Cells of a buffer; each is one write of a trainer. */
  static final int CELLS = 3;

  /** A batch that reads a version. */
  record Lease(UpdateNumber update, int buffer) {}

  private static final class Opening {
    final UpdateNumber update;
    long missing;

    Opening(UpdateNumber update, long missing) {
      this.update = update;
      this.missing = missing;
    }
  }

  final int address;
  final MemberId member;
  final RankMachine<Integer> machine;
  final List<Lease> leases = new ArrayList<>();
  final Set<UpdateNumber> prepared = new HashSet<>();
  final Set<UpdateNumber> flipped = new HashSet<>();
  final Set<UpdateNumber> aborted = new HashSet<>();
  final Set<UpdateNumber> discarded = new HashSet<>();

  boolean isDead;
  boolean isStopped;

  private final World world;
  private final UpdateNumber[][] cells;

  /** Of each buffer, what may be written under which key. */
  private final List<Map<Integer, Opening>> keys = new ArrayList<>();

  private final Queue<Runnable> later = new ArrayDeque<>();
  private UpdateNumber serving = UpdateNumber.NONE;
  private int servingBuffer = -1;
  private boolean gate;

  SimulatedRank(World world, int address, String name, int buffers) {
    this.world = world;
    this.address = address;
    this.member = new MemberId(name, address);
    this.cells = new UpdateNumber[buffers][CELLS];
    for (UpdateNumber[] buffer : cells) {
      Arrays.fill(buffer, UpdateNumber.NONE);
      keys.add(new HashMap<>());
    }
    this.machine = world.mistake.rank(member, buffers, world.mistake.around(this));
  }

  boolean isAlive() {
    return !isDead;
  }

  boolean runs() {
    return !isDead && !isStopped;
  }

  boolean hasWork() {
    return !later.isEmpty();
  }

  void work() {
    Runnable next = later.poll();
    if (next != null) {
      next.run();
    }
  }

  /** What update it serves now; null if it gives no leases. */
  @Nullable UpdateNumber served() {
    return gate ? serving : null;
  }

  void receive(Command command, int from) {
    later.add(() -> machine.receive(command, from));
    work();
  }

  /** A batch begins. */
  void lease() {
    if (gate) {
      leases.add(new Lease(serving, servingBuffer));
    }
  }

  /** A batch ends. */
  void release(Random random) {
    if (!leases.isEmpty()) {
      int buffer = leases.remove(random.nextInt(leases.size())).buffer();
      checkDrained(buffer);
    }
  }

  void checkDrained(int buffer) {
    later.add(() -> {
      if (!(gate && servingBuffer == buffer)
          && leases.stream().noneMatch(l -> l.buffer == buffer)) {
        machine.drained(buffer);
      }
    });
  }

  /** Every reader sees one version, and what is said of it. */
  void check() {
    for (Lease lease : leases) {
      for (UpdateNumber cell : cells[lease.buffer]) {
        world.require(
            cell.equals(lease.update),
            "no mixture",
            () ->
                member.name()
                    + " reads "
                    + Arrays.toString(cells[lease.buffer])
                    + " under a lease of "
                    + lease.update);
      }
    }
  }

  /** A write of a trainer comes; whether the process runs does not matter. */
  void write(int key, UpdateNumber update, int cell) {
    for (int buffer = 0; buffer < cells.length; buffer++) {
      Opening opening = keys.get(buffer).get(key);
      if (opening != null) {
        cells[buffer][cell] = update;
        if (--opening.missing == 0) {
          later.add(() -> machine.filled(opening.update));
        }
      }
    }
  }

  @Override
  public void stopLeases() {
    gate = false;
    checkDrained(servingBuffer);
  }

  @Override
  public void resumeLeases() {
    gate = true;
  }

  @Override
  public void serve(UpdateNumber update, long version, int buffer) {
    int before = servingBuffer;
    serving = update;
    servingBuffer = buffer;
    gate = true;
    world.require(update.serial() == version, "no mixture", () -> "serves version " + version);
    if (before >= 0 && before != buffer) {
      checkDrained(before);
    }
  }

  @Override
  public void open(UpdateNumber update, int buffer, long arrivals) {
    world.opened(this, update);
    later.add(() -> {
      int key = world.nextKey();
      keys.get(buffer).put(key, new Opening(update, arrivals));
      machine.opened(update, new RankTarget(member.name(), List.of(), new Imm(key), arrivals));
    });
  }

  /** For saboteurs: does something in turn. */
  void later(Runnable task) {
    later.add(task);
  }

  @Override
  public void seal(int buffer) {
    later.add(() -> {
      keys.get(buffer).clear();
      machine.sealed(buffer);
    });
  }

  /** Ends are read off the reports, as a controller reads them. */
  @Override
  public void report(Integer to, Report report) {
    if (report.pending() != null && report.pending().phase().compareTo(Phase.PREPARED) >= 0) {
      prepared.add(report.pending().update());
    }
    for (Report.Ended end : report.ended()) {
      if (end.flipped()) {
        flipped.add(end.update());
      } else if (aborted.add(end.update())
          && (report.state() == RankState.TORN || report.state() == RankState.EMPTY)) {
        discarded.add(end.update());
      }
    }
    world.sendReport(address, to, report);
  }
}
