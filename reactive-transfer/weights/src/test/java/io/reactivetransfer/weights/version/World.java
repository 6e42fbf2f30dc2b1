package io.reactivetransfer.weights.version;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Ranks, controllers and trainers on a network where a seed decides what comes next: what is lost,
 * doubled, late or out of order, and who dies, stands still or starts anew. Checks after each step
 * what must never be otherwise, and at the end that nobody waits for ever.
 */
final class World {

  /** A promise was broken. */
  static final class Broken extends AssertionError {
    private static final long serialVersionUID = 1L;
    final String promise;

    Broken(String promise, String what) {
      super(promise + ": " + what);
      this.promise = promise;
    }
  }

  /** Something on its way. Only what a process reads waits for it to run. */
  private record Flight(
      int to, Supplier<Boolean> canCome, Runnable comes, @Nullable UpdateNumber write) {}

  /** Steps that a write may take. */
  private static final int SLOW = 1_000;

  private static final int ROUNDS = 12;

  final Mistake mistake;
  private final Random random;
  private final List<Flight> network = new ArrayList<>();
  final Map<Integer, SimulatedRank> ranks = new LinkedHashMap<>();
  final Map<Integer, SimulatedController> controllers = new LinkedHashMap<>();

  /** By update, the addresses of all that were told of it. */
  private final Map<UpdateNumber, Set<Integer>> members = new HashMap<>();

  private final Map<UpdateNumber, UpdateMode> modes = new HashMap<>();
  private final Set<UpdateNumber> committed = new HashSet<>();
  private final Set<UpdateNumber> givenUp = new HashSet<>();
  private final Queue<Supplier<String>> trace = new ArrayDeque<>();
  private final Set<UpdateNumber> failedTrainers = new HashSet<>();
  private int nextAddress = 100;
  private int nextController = 1;
  private int nextKey = 1;
  private int now;
  private boolean isHealing;
  private boolean isScripted;
  private int names;

  /** The larger, the rarer is trouble. */
  private final int calm;

  int flips;
  int flipsInTrouble;
  int tornRanks;
  int results;

  World(long seed, Mistake mistake) {
    this.random = new Random(seed * 0x9e3779b97f4a7c15L + 1);
    this.mistake = mistake;
    names = 2 + random.nextInt(3);
    calm = 1 << 2 * random.nextInt(4);
    for (int i = 0; i < names; i++) {
      addRank("rank-" + i);
    }
  }

  private void addRank(String name) {
    SimulatedRank rank = new SimulatedRank(this, nextAddress++, name, 2);
    ranks.put(rank.address, rank);
    if (random.nextInt(4) > 0) {
      rank.machine.begin(0);
    }
    say(() -> "rank " + name + " at " + rank.address);
  }

  int nextKey() {
    return nextKey++;
  }

  void require(boolean holds, String promise, Supplier<String> what) {
    if (!holds) {
      throw new Broken(
          promise,
          what.get() + "\n" + trace.stream().map(Supplier::get).collect(Collectors.joining("\n")));
    }
  }

  private void say(Supplier<String> what) {
    trace.add(what);
    if (trace.size() > 400) {
      trace.remove();
    }
  }

  List<SimulatedRank> living() {
    return ranks.values().stream().filter(SimulatedRank::isAlive).toList();
  }

  /** Whom the application has in an update: all that live, or some of them. */
  List<SimulatedRank> some() {
    List<SimulatedRank> all = living();
    return isHealing || isScripted || random.nextInt(4) > 0
        ? all
        : all.subList(random.nextInt(all.size()), all.size());
  }

  // What is sent.

  void sendCommand(int from, int to, Command command) {
    if (command instanceof Command.Prepare prepare) {
      Set<Integer> all = members.computeIfAbsent(prepare.update(), u -> new HashSet<>());
      prepare.members().forEach(member -> all.add((int) member.incarnation()));
      modes.put(prepare.update(), prepare.mode());
    }
    SimulatedRank rank = ranks.get(to);
    if (rank.isDead) {
      return;
    }
    network.add(
        new Flight(
            to,
            rank::runs,
            () -> {
              say(() -> from + " -> " + to + " " + command);
              rank.receive(command, from);
            },
            null));
  }

  /** The version of an update here is its serial, so that readers can tell. */
  Command withSerial(Command command) {
    return command instanceof Command.Prepare p
        ? new Command.Prepare(
            p.term(),
            p.incarnation(),
            p.update(),
            p.update().serial(),
            p.mode(),
            p.arrivals(),
            p.hasSums(),
            p.members(),
            p.traceContext())
        : command;
  }

  void sendReport(int from, int to, Report report) {
    SimulatedController controller = controllers.get(to);
    if (controller == null || controller.isDead) {
      return;
    }
    network.add(
        new Flight(
            to,
            controller::runs,
            () -> {
              Integer known = controller.addresses.get(report.member().name());
              if (known != null && known == from) {
                say(() -> from + " => " + to + " " + shown(report));
                controller.machine.report(report);
              }
            },
            null));
  }

  private static String shown(Report report) {
    Report.Pending pending = report.pending();
    return report.state()
        + " "
        + report.update()
        + (pending == null ? "" : ", " + pending.update() + " " + pending.phase())
        + " heard "
        + report.heard();
  }

  void write(UpdateNumber update, int address, RankTarget target) {
    SimulatedRank rank = ranks.get(address);
    boolean isSlow = random.nextInt(5) == 0 && !isHealing;
    for (int i = 0; i < SimulatedRank.CELLS; i++) {
      int cell = i;
      int notBefore = isSlow && random.nextInt(3) == 0 ? now + random.nextInt(SLOW) : now;
      network.add(
          new Flight(
              address,
              () -> rank.isAlive() && now >= notBefore,
              () -> rank.write(target.imm().value(), update, cell),
              update));
    }
  }

  /** In place, nobody's memory is touched before all have stopped. */
  void opened(SimulatedRank by, UpdateNumber update) {
    if (modes.get(update) != UpdateMode.IN_PLACE) {
      return;
    }
    for (int address : members.get(update)) {
      SimulatedRank rank = ranks.get(address);
      if (rank.isAlive()) {
        require(
            rank.prepared.contains(update),
            "untouched",
            () -> by.address + " is opened before " + address + " has stopped");
      }
    }
  }

  void ended(SimulatedController by, boolean isRecovery, UpdateResult result) {
    results++;
    say(() -> "controller " + by.id + " ended: " + result);
    UpdateNumber update = result.update();
    switch (result.decision()) {
      case FLIPPED -> {
        flips++;
        committed.add(update);
      }
      case ABORTED -> givenUp.add(update);
      case RECOVERED -> require(isRecovery, "outcome", () -> "an update ended: " + result);
      default -> {}
    }
    result
        .ranks()
        .forEach((name, outcome) -> {
          tornRanks += outcome.end() == RankOutcome.End.TORN ? 1 : 0;
          SimulatedRank rank = ranks.get(by.addresses.get(name));
          boolean flipped = rank.flipped.contains(update);
          require(
              switch (outcome.end()) {
                case FLIPPED -> flipped;
                case UNCONFIRMED -> true;
                default -> !flipped || result.isFlipped() && rank.discarded.contains(update);
              },
              "outcome",
              () -> name + " is said to be " + outcome + ": " + result);
        });
  }

  // What must never be otherwise.

  private void check() {
    List<SimulatedRank> living = living();
    living.forEach(SimulatedRank::check);
    members.forEach((update, all) -> {
      boolean anyFlipped = false;
      boolean anyAborted = false;
      boolean anyOld = false;
      for (SimulatedRank rank : living) {
        if (!all.contains(rank.address)) {
          continue;
        }
        boolean flipped = rank.flipped.contains(update);
        anyFlipped |= flipped;
        anyAborted |= rank.aborted.contains(update) && !rank.discarded.contains(update);
        anyOld |= !flipped && rank.served() != null;
        require(
            !(flipped && givenUp.contains(update)),
            "outcome",
            () -> rank.member.name() + " has flipped to " + update + ", which was given up");
      }
      boolean old = anyOld;
      boolean flipped = anyFlipped;
      boolean aborted = anyAborted;
      require(!(flipped && aborted), "all or none", () -> update + " flipped and did not");
      require(!(flipped && old), "one version", () -> update + " and an older one are served");
      require(
          !(aborted && committed.contains(update)),
          "outcome",
          () -> update + " was decided on, and dropped");
    });
  }

  // What happens.

  /** So many steps with whatever may go wrong, then the time when all goes well. */
  void run(int steps) {
    newController();
    for (int i = 0; i < steps; i++) {
      step();
      check();
    }
    heal();
  }

  /**
   * One update in which nothing goes wrong until the controller has sent so many commands: then it
   * dies, and one of the ranks with it, if that is wanted.
   *
   * @param victim which rank; none if there are fewer
   */
  boolean runUntil(UpdateMode mode, int commands, int victim, boolean victimStops) {
    isScripted = true;
    SimulatedController first = newController();
    first.mayStillSend = commands;
    first.tasks.add(new SimulatedController.Task(false, mode));
    for (int i = 0; i < 20_000 && !first.isDead && (first.isBusy || !first.tasks.isEmpty()); i++) {
      if (!first.isBusy) {
        first.begin();
      }
      calmStep(random.nextInt(960));
      check();
    }
    boolean died = first.isDead;
    first.isDead = true;
    if (victim < names) {
      SimulatedRank rank = living().get(victim);
      rank.isDead = !victimStops;
      rank.isStopped = true;
      // It stands still while the next one asks.
      isHealing = true;
      SimulatedController second = newController();
      settle();
      require(
          second.isBusy == victimStops,
          "stuck",
          () -> "a recovery does not wait for those alone who live, or may: " + rank.address);
      if (second.isBusy) {
        second.machine.deadline();
      }
      second.isDead = true;
    }
    heal();
    return died;
  }

  private void calmStep(int what) {
    now++;
    if (what < 580) {
      arrive(true);
    } else if (what < 790) {
      work();
    } else if (what < 840) {
      pick(living()).ifRuns(SimulatedRank::lease);
    } else if (what < 940) {
      pick(living()).ifRuns(rank -> rank.release(random));
    } else {
      tick();
    }
  }

  private void step() {
    int what = random.nextInt(1000);
    if (what < 960) {
      calmStep(what);
    } else if (random.nextInt(calm) == 0) {
      trouble(what - 960);
    }
    for (SimulatedController controller : List.copyOf(controllers.values())) {
      if (controller.runs() && !controller.isBusy && random.nextInt(20) == 0) {
        controller.tasks.add(new SimulatedController.Task(false, mode()));
        controller.begin();
      }
    }
  }

  private UpdateMode mode() {
    return UpdateMode.values()[random.nextInt(UpdateMode.values().length)];
  }

  private void trouble(int what) {
    if (what < 4) {
      killRank();
    } else if (what < 9) {
      pick(living()).then(rank -> rank.isStopped = !rank.isStopped);
    } else if (what < 14) {
      newController();
    } else if (what < 18) {
      pick(alive())
          .then(controller -> {
            say(() -> "controller " + controller.id + " dies");
            controller.isDead = true;
            newController();
          });
    } else if (what < 22) {
      pick(alive()).then(controller -> controller.isStopped = !controller.isStopped);
    } else if (what < 28) {
      loss();
      trainersFail();
      if (random.nextInt(6) == 0) {
        failure();
      }
    } else if (what < 31) {
      pick(alive())
          .then(c -> {
            if (c.runs() && c.isBusy) {
              say(() -> "deadline of " + c.id);
              c.machine.deadline();
            }
          });
    } else if (what < 33) {
      pick(alive())
          .then(c -> {
            if (c.runs() && c.isBusy) {
              c.machine.cancel("cancelled");
            }
          });
    } else if (what < 36 && !network.isEmpty()) {
      UpdateNumber write = network.remove(random.nextInt(network.size())).write;
      if (write != null) {
        failedTrainers.add(write);
      }
    } else if (what < 40) {
      alive().stream()
          .filter(c -> c.runs() && !c.isBusy)
          .findAny()
          .ifPresent(c -> {
            c.tasks.add(new SimulatedController.Task(true, mode()));
            c.begin();
          });
    }
  }

  private void killRank() {
    pick(living())
        .then(rank -> {
          boolean saysSo = rank.runs() && random.nextBoolean();
          say(() -> "rank " + rank.address + (saysSo ? " closes" : " dies"));
          if (saysSo) {
            rank.machine.close();
          }
          rank.isDead = true;
          if (random.nextInt(3) > 0 || living().size() < 2) {
            addRank(rank.member.name());
          } else if (living().size() < 2) {
            addRank("rank-" + names++);
          }
        });
  }

  /** What a rank needs for an update is not there. */
  private void failure() {
    pick(living())
        .ifRuns(rank -> {
          Report.Pending pending = rank.machine.report().pending();
          if (pending != null) {
            rank.machine.failed(pending.update(), "no room");
          }
        });
  }

  /** Who is dead is lost, and at times somebody who is not. */
  private void loss() {
    for (SimulatedController controller : alive()) {
      controller.addresses.forEach((name, address) -> {
        SimulatedRank rank = ranks.get(address);
        if (controller.runs() && (rank.isDead || random.nextInt(12) == 0)) {
          controller.machine.lost(name, "");
        }
      });
    }
    for (SimulatedRank rank : living()) {
      for (SimulatedController controller : controllers.values()) {
        if (rank.runs() && (controller.isDead || random.nextInt(12) == 0)) {
          rank.machine.lost(controller.id);
        }
      }
    }
  }

  /** Whoever loses a write says so. */
  private void trainersFail() {
    for (SimulatedController controller : alive()) {
      if (controller.runs()) {
        failedTrainers.forEach(of -> controller.machine.trainersFailed(of, "a write failed"));
      }
    }
  }

  private List<SimulatedController> alive() {
    return controllers.values().stream().filter(controller -> !controller.isDead).toList();
  }

  private SimulatedController newController() {
    SimulatedController controller = new SimulatedController(this, nextController++);
    controllers.put(controller.id, controller);
    say(() -> "controller " + controller.id);
    controller.tasks.add(new SimulatedController.Task(true, mode()));
    controller.begin();
    return controller;
  }

  private void arrive(boolean mayDouble) {
    if (network.isEmpty()) {
      return;
    }
    int index = random.nextInt(random.nextBoolean() ? network.size() : Math.min(4, network.size()));
    Flight flight = network.get(index);
    if (flight.canCome.get()) {
      if (flight.write != null || !mayDouble || random.nextInt(12) > 0) {
        network.remove(index);
      }
      flight.comes.run();
    } else if (!ranks.containsKey(flight.to)
        ? controllers.get(flight.to).isDead
        : ranks.get(flight.to).isDead) {
      network.remove(index);
    }
  }

  private void work() {
    pick(ranks.values().stream().filter(r -> r.runs() && r.hasWork()).toList())
        .then(SimulatedRank::work);
  }

  private void tick() {
    living().stream().filter(SimulatedRank::runs).forEach(rank -> rank.machine.tick());
    alive().stream().filter(SimulatedController::runs).forEach(c -> c.machine.tick());
  }

  // The time when all goes well.

  private void heal() {
    flipsInTrouble = flips;
    isHealing = true;
    say(() -> "all goes well from here");
    living().forEach(rank -> rank.isStopped = false);
    controllers.values().forEach(controller -> controller.isStopped = false);
    settle();
    for (SimulatedController controller : alive()) {
      boolean waitsForTheDead =
          controller.isRecovery
              && controller.members.stream()
                  .anyMatch(name -> ranks.get(controller.addresses.get(name)).isDead);
      require(
          !controller.isBusy || waitsForTheDead,
          "stuck",
          () -> "controller " + controller.id + " needs a deadline");
      for (int i = 0; i < 3 && controller.isBusy; i++) {
        controller.machine.deadline();
        settle();
      }
      require(!controller.isBusy, "no end", () -> "controller " + controller.id + " never ends");
      controller.isDead = true;
    }
    SimulatedController last = newController();
    settle();
    requireResult(last, UpdateResult.Decision.RECOVERED);
    for (SimulatedRank rank : living()) {
      require(
          rank.machine.report().pending() == null,
          "stuck",
          () -> rank.address + " waits after a recovery");
    }
    for (UpdateMode mode : UpdateMode.values()) {
      last.tasks.add(new SimulatedController.Task(false, mode));
      last.begin();
      settle();
      requireResult(last, UpdateResult.Decision.FLIPPED);
      for (SimulatedRank rank : living()) {
        require(
            last.result.update().equals(rank.served()),
            "stuck",
            () -> rank.address + " serves " + rank.served());
      }
    }
  }

  private void requireResult(SimulatedController of, UpdateResult.Decision decision) {
    UpdateResult result = of.result;
    require(
        !of.isBusy && result != null && result.decision() == decision,
        "stuck",
        () -> "controller " + of.id + " came to " + (of.isBusy ? null : result));
  }

  /** Lets all that runs come to its end: nothing is lost, all batches end, time passes. */
  private void settle() {
    for (int round = 0; round < ROUNDS; round++) {
      now += SLOW / (ROUNDS - 2);
      tick();
      trainersFail();
      // Those who are dead are lost to all; nobody else is.
      for (SimulatedRank rank : living()) {
        for (SimulatedController controller : controllers.values()) {
          if (rank.runs() && controller.isDead) {
            rank.machine.lost(controller.id);
          }
        }
      }
      for (SimulatedController controller : alive()) {
        controller.addresses.forEach((name, address) -> {
          if (ranks.get(address).isDead) {
            controller.machine.lost(name, "");
          }
        });
      }
      for (int i = 0; i < 5_000 && (anyComes() || anyWork()); i++) {
        arrive(false);
        work();
        if (i % 16 == 0) {
          pick(living()).ifRuns(SimulatedRank::lease);
        }
        check();
      }
      for (SimulatedRank rank : living()) {
        while (!rank.leases.isEmpty()) {
          rank.release(random);
        }
      }
    }
  }

  private boolean anyComes() {
    return network.stream().anyMatch(flight -> flight.canCome.get());
  }

  private boolean anyWork() {
    return living().stream().anyMatch(rank -> rank.runs() && rank.hasWork());
  }

  private <T> Picked<T> pick(List<T> all) {
    return new Picked<>(all.isEmpty() ? null : all.get(random.nextInt(all.size())));
  }

  private record Picked<T>(@Nullable T one) {
    void then(java.util.function.Consumer<T> does) {
      if (one != null) {
        does.accept(one);
      }
    }

    void ifRuns(java.util.function.Consumer<T> does) {
      if (one instanceof SimulatedRank rank && rank.runs()) {
        does.accept(one);
      }
    }
  }
}
