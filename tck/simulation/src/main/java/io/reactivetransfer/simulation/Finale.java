package io.reactivetransfer.simulation;

import io.reactivetransfer.EngineStats;
import io.reactivetransfer.Imm;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The end of a run: everybody takes all there is, whatever must end ends, the books are compared,
 * and all engines are closed.
 */
final class Finale {

  private static final long MILLI = 1_000_000;

  /** Some times as long as a NIC may refuse when all is slow, and as a message may take. */
  private static final long SETTLING_NANOS = 40 * MILLI;

  private static final int EVENTS_BETWEEN_LOOKS = 64;
  private static final int MAX_EVENTS = 2_000_000;

  /** So often may debts come one after the other. */
  private static final int MAX_DEBTS = 3;

  private final World world;
  private final Referee referee;
  private final Clock clock;

  Finale(World world, Clock clock) {
    this.world = world;
    this.referee = world.referee();
    this.clock = clock;
  }

  void play() {
    clock.run(longestStopNanos());
    if (isOver()) {
      return;
    }
    referee.note(-1, "finale", 0);
    world.nodes().forEach(this::resume);
    Forecast forecast = world.forecast();
    long patience =
        4 * (forecast.livenessNanos() + forecast.deadlineNanos())
            + forecast.weather().longestDetectionNanos();
    letEnd(patience);
    letReport(patience);
    clock.run(SETTLING_NANOS);
    if (isOver()) {
      return;
    }
    compareBooks();
    giveUp();
    clock.run(SETTLING_NANOS);
    discardAll();
    clock.run(SETTLING_NANOS);
    letRest(patience);
    discardDebts(patience);
    checkStats();
    closeAll();
  }

  private boolean isOver() {
    return referee.violation() != null;
  }

  /** How long until the last one that stands still goes on: others may have given it up by then. */
  private long longestStopNanos() {
    long now = referee.nanos();
    return Math.max(
        0, world.nodes().stream().mapToLong(Node::goesOnNanos).max().orElse(0) - now + 1);
  }

  /** Asks for all there is. */
  private void resume(Node node) {
    for (Probe<?> probe : List.copyOf(world.probes())) {
      if (probe.node == node && !(probe instanceof ClaimProbe)) {
        node.act(0, () -> probe.request(Probe.ALL));
      }
    }
  }

  /** Claims that wait for ever may leave no room for a reader. */
  private void makeRoom() {
    for (Probe<?> probe : List.copyOf(world.probes())) {
      if (probe instanceof ClaimProbe) {
        probe.node.act(0, probe::cancel);
      }
    }
  }

  /** Everybody reads all there is, also where the last reader was cancelled or refused. */
  private void read() {
    for (Node node : world.nodes()) {
      for (int each = 0; each < Letters.CHANNELS; each++) {
        int channel = each;
        Probe<?> reader = node.reader(channel);
        if (node.isUp() && (reader == null || reader.isOver() || reader.requested() < Probe.ALL)) {
          node.act(0, () -> read(node, channel));
        }
      }
    }
  }

  private static void read(Node node, int channel) {
    TransferEngine engine = node.engine();
    Probe<?> reader = node.reader(channel);
    if (reader != null && !reader.isOver()) {
      reader.request(Probe.ALL);
    } else if (node.isUp() && engine != null) {
      UserActs.read(node, engine, channel, Probe.ALL);
    }
  }

  /** Waits until everything has ended that must. */
  private void letEnd(long patienceNanos) {
    long until = referee.nanos() + patienceNanos;
    clock.run(MILLI); // what is going to be done or cancelled is done by then
    if (world.forecast().crowded()) {
      makeRoom();
    }
    read();
    while (!isOver() && firstPending() != null) {
      read();
      if (referee.nanos() > until || !clock.runEvents(EVENTS_BETWEEN_LOOKS)) {
        Probe<?> pending = firstPending();
        referee.require(pending == null, pending + " never ended");
        break;
      }
    }
    read(); // the last to end may have made room for the reader
    clock.run(MILLI);
    read(); // and what was cancelled for the others, only when its engine had heard of that
  }

  /**
   * Nobody waits for what was cancelled; but it is out until its NIC says how it ended, and only
   * then are its targets told.
   */
  private void letReport(long patienceNanos) {
    long until = referee.nanos() + patienceNanos;
    while (!isOver()
        && referee.nanos() < until
        && !world.nodes().stream().allMatch(this::isQuiet)) {
      if (!clock.runEvents(EVENTS_BETWEEN_LOOKS)) {
        return;
      }
    }
  }

  private boolean isQuiet(Node node) {
    TransferEngine engine = node.engine();
    if (!node.isUp() || engine == null) {
      return true;
    }
    EngineStats stats = engine.stats();
    return stats.transfersInFlight() == 0 && stats.writesInFlight() == 0;
  }

  private @Nullable Probe<?> firstPending() {
    for (Probe<?> probe : world.probes()) {
      if (!probe.isOver() && !probe.node.isKilled() && probe.mustEnd()) {
        return probe;
      }
    }
    return null;
  }

  private void compareBooks() {
    for (Count count : world.counts()) {
      if (count.target.isUp()) {
        count.checkClaims();
      }
    }
    world.volleys().forEach(Volley::settle);
    world.letters().checkAllRead();
    world.meetings().check();
    world.checkAll();
  }

  private void giveUp() {
    world.giveUp();
    for (Probe<?> probe : List.copyOf(world.probes())) {
      if (!probe.isOver() && !probe.node.isKilled() && !probe.node.isReader(probe)) {
        probe.node.act(0, probe instanceof ClaimProbe claim ? claim::giveUp : probe::cancel);
      }
    }
  }

  private void discardAll() {
    for (Count count : world.counts()) {
      Node node = count.target;
      node.act(
          0,
          () -> {
            TransferEngine engine = node.engine();
            if (node.isUp() && engine != null && !engine.isClosed()) {
              engine.counter(Imm.of(count.imm)).discard().subscribe(new DiscardProbe(node, count));
            }
          });
    }
  }

  /**
   * What a lost peer has to take back it is told when it is found again, which may be long after
   * all that came was dropped. It owes this then, until its user discards; but nothing more has
   * come.
   */
  private void discardDebts(long patience) {
    for (int i = 0;
        i < MAX_DEBTS && !isOver() && !world.nodes().stream().allMatch(this::rests);
        i++) {
      for (Count count : world.counts()) {
        Node node = count.target;
        TransferEngine engine = node.engine();
        if (node.isUp() && engine != null && !engine.isClosed()) {
          node.act(
              0,
              () ->
                  engine
                      .counter(Imm.of(count.imm))
                      .discard()
                      .subscribe(new DebtProbe(node, count)));
        }
      }
      clock.run(SETTLING_NANOS);
      letRest(patience);
    }
  }

  private static final class DebtProbe extends Probe<Long> {
    private final Count count;

    DebtProbe(Node node, Count count) {
      super(node, "discard of debts", true);
      this.count = count;
    }

    @Override
    void next(Long left) {
      count.checkNothingCame(left);
    }
  }

  private static final class DiscardProbe extends Probe<Long> {
    private final Count count;

    DiscardProbe(Node node, Count count) {
      super(node, "discard", true);
      this.count = count;
    }

    @Override
    void next(Long left) {
      count.checkTotal(left);
    }
  }

  /** What was cancelled may still be out, until its peer is found to be dead. */
  private void letRest(long patienceNanos) {
    long until = referee.nanos() + patienceNanos;
    while (!isOver() && referee.nanos() < until && !world.nodes().stream().allMatch(this::rests)) {
      if (!clock.runEvents(EVENTS_BETWEEN_LOOKS)) {
        return;
      }
    }
  }

  private boolean rests(Node node) {
    TransferEngine engine = node.engine();
    if (!node.isUp() || engine == null) {
      return true;
    }
    EngineStats stats = engine.stats();
    return stats.transfersInFlight() == 0
        && stats.writesInFlight() == 0
        && stats.pendingClaims() == 0
        && engine.peers().stream()
            .map(Peer::stats)
            .allMatch(peer -> peer.writesInFlight() == 0 && peer.transfersWaiting() == 0)
        && (stats.unclaimedImms() == 0 || world.isForgiving());
  }

  /** Nothing is left of all that was done. */
  private void checkStats() {
    for (Node node : world.nodes()) {
      TransferEngine engine = node.engine();
      if (node.isUp() && engine != null && !isOver()) {
        EngineStats stats = engine.stats();
        referee.require(rests(node), node + " is at rest, and has " + stats);
        referee.require(
            stats.droppedImms() == 0 || node.mayOverflow(), node + " lost arrivals: " + stats);
        referee.require(!engine.isClosed() || world.isForgiving(), node + " closed itself");
      }
    }
    world.letters().checkAllRead();
  }

  private void closeAll() {
    for (Node node : world.nodes()) {
      if (node.isUp()) {
        node.act(0, node::close);
      }
    }
    if (!clock.runOut(MAX_EVENTS)) {
      referee.violated("something goes on for ever after all engines were closed");
    }
    for (Probe<?> probe : world.probes()) {
      referee.require(
          probe.isOver() || probe.node.isKilled(),
          probe + " never ended, and its engine is closed");
    }
    for (Node node : world.nodes()) {
      referee.require(
          node.isKilled() || node.scheduler().liveWorkers() == 0,
          node + " is closed, and uses the signal scheduler");
    }
    referee.require(
        world.network().openControls() == 0,
        "control channels are open, and all engines are closed");
    referee.require(world.network().openNics() == 0, "NICs are open, and all engines are closed");
    world.checkAll();
  }
}
