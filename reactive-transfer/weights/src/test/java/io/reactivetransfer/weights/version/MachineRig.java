package io.reactivetransfer.weights.version;

import io.reactivetransfer.Imm;
import io.reactivetransfer.TraceContext;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.function.BiPredicate;

/** A controller and three ranks that trainers fill at once, turn by turn on one thread. */
final class MachineRig implements ControllerMachine.Actions {

  private final Queue<Runnable> turns = new ArrayDeque<>();
  final Map<String, RankMachine<String>> ranks = new LinkedHashMap<>();
  final List<UpdateResult> results = new ArrayList<>();
  final ControllerMachine controller = new ControllerMachine(7, this);

  /** What a rank does not hear. */
  BiPredicate<String, Command> unheard = (rank, command) -> false;

  /** Ranks whose readers keep what they read. */
  final List<String> reading = new ArrayList<>();

  /** Ranks that give leases. */
  final Set<String> giving = new HashSet<>();

  /**
   * What happens when trainers are told that they need not go on: nothing, as they write at once.
   */
  Runnable stopping = () -> {};

  /** Ranks that trainers do not fill. */
  final List<String> unfilled = new ArrayList<>();

  private final class Rank implements RankMachine.Actions<String> {
    private final String name;

    Rank(String name) {
      this.name = name;
    }

    private RankMachine<String> me() {
      return ranks.get(name);
    }

    @Override
    public void stopLeases() {
      giving.remove(name);
      if (!reading.contains(name)) {
        turns.add(() -> me().drained(0));
        turns.add(() -> me().drained(1));
      }
    }

    @Override
    public void resumeLeases() {
      giving.add(name);
    }

    @Override
    public void serve(UpdateNumber update, long version, int buffer) {
      giving.add(name);
    }

    @Override
    public void open(UpdateNumber update, int buffer, long arrivals) {
      turns.add(() -> me().opened(update, new RankTarget(name, List.of(), new Imm(1), arrivals)));
    }

    @Override
    public void seal(int buffer) {
      turns.add(() -> me().sealed(buffer));
    }

    @Override
    public void report(String to, Report report) {
      turns.add(() -> controller.report(report));
    }
  }

  MachineRig() {
    for (int i = 0; i < 3; i++) {
      String name = "rank-" + i;
      ranks.put(name, new RankMachine<>(new MemberId(name, i + 1), 2, new Rank(name)));
    }
  }

  @Override
  public void send(String rank, Command command) {
    if (!unheard.test(rank, command)) {
      turns.add(() -> ranks.get(rank).receive(command, "controller"));
    }
  }

  @Override
  public void startTrainers(UpdateNumber update, List<RankTarget> targets) {
    targets.stream()
        .filter(target -> !unfilled.contains(target.rank()))
        .forEach(target -> turns.add(() -> ranks.get(target.rank()).filled(update)));
  }

  @Override
  public void stopTrainers() {
    stopping.run();
  }

  @Override
  public void done(UpdateResult result) {
    results.add(result);
  }

  void update(String... names) {
    Map<String, Long> arrivals = new LinkedHashMap<>();
    for (String name : names) {
      arrivals.put(name, 1L);
    }
    controller.update(
        new ControllerMachine.Plan(
            1, UpdateMode.TWO_BUFFERS_OUTLIVE, arrivals, false, TraceContext.NONE));
    run();
  }

  void run() {
    while (!turns.isEmpty()) {
      turns.remove().run();
    }
  }
}
