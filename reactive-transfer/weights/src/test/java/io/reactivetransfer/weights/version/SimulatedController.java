package io.reactivetransfer.weights.version;

import io.reactivetransfer.TraceContext;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A controller of a simulated world, and the application that tells it what to do. */
final class SimulatedController implements ControllerMachine.Actions {

  /** What the application does next, when the last has ended. */
  record Task(boolean isRecovery, UpdateMode mode) {}

  final int id;
  final ControllerMachine machine;
  final Map<String, Integer> addresses = new HashMap<>();
  final Queue<Task> tasks = new ArrayDeque<>();
  boolean isDead;
  boolean isStopped;
  boolean isBusy;

  /** The names in what it does now. */
  Set<String> members = Set.of();

  /** How many commands it sends before it dies. */
  int mayStillSend = Integer.MAX_VALUE;

  @Nullable UpdateResult result;

  private final World world;
  private long version;
  boolean isRecovery;

  SimulatedController(World world, int id) {
    this.world = world;
    this.id = id;
    // Those who come later have no greater ones.
    this.machine = world.mistake.controller(id * 0x9e3779b97f4a7c15L, this);
  }

  boolean runs() {
    return !isDead && !isStopped;
  }

  /** Begins what is to be done next. */
  void begin() {
    Task task = tasks.poll();
    if (task == null || isBusy) {
      return;
    }
    isBusy = true;
    isRecovery = task.isRecovery;
    Map<String, Long> arrivals = new LinkedHashMap<>();
    for (SimulatedRank rank : task.isRecovery ? world.living() : world.some()) {
      addresses.put(rank.member.name(), rank.address);
      arrivals.put(rank.member.name(), (long) SimulatedRank.CELLS);
    }
    members = Set.copyOf(arrivals.keySet());
    if (isRecovery) {
      machine.recover(arrivals.keySet());
    } else {
      // The number of the update comes to light with it: versions here are serials.
      version++;
      machine.update(
          new ControllerMachine.Plan(version, task.mode, arrivals, false, TraceContext.NONE));
    }
  }

  @Override
  public void send(String rank, Command command) {
    if (mayStillSend-- == 0) {
      isDead = true;
    }
    if (isDead) {
      return;
    }
    world.sendCommand(id, addresses.get(rank), world.withSerial(command));
  }

  @Override
  public void startTrainers(UpdateNumber update, List<RankTarget> targets) {
    world.require(
        targets.size() == members.size(), "outcome", () -> "trainers are given " + targets);
    targets.forEach(target -> world.write(update, addresses.get(target.rank()), target));
  }

  @Override
  public void stopTrainers() {
    // What is under way comes late.
  }

  @Override
  public void done(UpdateResult ended) {
    if (isDead) {
      return;
    }
    world.require(isBusy, "one end", () -> "a second end: " + ended);
    isBusy = false;
    result = ended;
    world.ended(this, isRecovery, ended);
  }
}
