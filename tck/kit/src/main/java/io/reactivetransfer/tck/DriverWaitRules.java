package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivetransfer.spi.Availability.Unavailable;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.NicWait;
import io.reactivetransfer.spi.NicWaits;
import io.reactivetransfer.spi.Operation;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Chapter 17, continued: when a NIC asks for a turn, when it does not, and what a turn takes. */
abstract class DriverWaitRules extends RuleGroup {

  /** In half of the cases; the others are the machine's. */
  private static final long PROMPT_NANOS = Duration.ofMillis(20).toNanos();

  private static final long NOT_BLOCKED_NANOS = Duration.ofMillis(1).toNanos();
  private static final int ROUNDS = 9;

  /** Who says nothing is late each time; a machine that has a lot else to do is not. */
  private static final int ATTEMPTS = 4;

  /** More than a round has, each of which a busy machine delays. */
  private static final int CHANGES_OF_THREAD = 8;

  private static final int RESTS = 5;

  /** Of different lengths, for whoever looks only now and then; all are shorter than 100 ms. */
  private static final long SHORTEST_REST_MILLIS = 10;

  private static final long LONGER_EACH_MILLIS = 8;
  private static final int CALLS = 61;

  /** A few times what the counts of the system may be wrong by. */
  private static final long BLOCKED_NANOS = Duration.ofMillis(20).toNanos();

  private static final int POLLS = 600;

  /** What one NIC does for the other one. */
  private enum Deed {
    WRITE,
    ARRIVAL
  }

  /** When it does it. */
  private enum Moment {
    IDLE(ROUNDS, ""),
    BEFORE_THE_WAIT(ROUNDS, " that came between the last poll and the wait"),
    LATE(RESTS, " that came when both had been idle for long");

    final int rounds;
    final String words;

    Moment(int rounds, String words) {
      this.rounds = rounds;
      this.words = words;
    }
  }

  DriverWaitRules(TransferConformance kit) {
    super(kit);
  }

  private Wire wire() {
    Wire wire = Wire.open(stage(), Wire.LENGTH, 0);
    wire.connect();
    return wire;
  }

  private DutyTurns duty(BareNic nic) {
    DutyTurns duty = new DutyTurns(nic, waitOf(nic));
    stage().atEnd(duty::close);
    return duty;
  }

  private @Nullable NicWait waitOf(BareNic nic) {
    if (nic.hasLoop() || nic.call(domain -> domain.waitDescriptors()).length == 0) {
      return null;
    }
    NicWaits waits = sabotage().waits();
    if (waits.availability() instanceof Unavailable not) {
      abort("the descriptors cannot be waited for: " + not.reason() + "; " + not.remedy());
    }
    return nic.call(domain -> waits.open());
  }

  private void requireOneThatAsks(Wire wire) {
    boolean asks = asks(wire.origin()) || asks(wire.target());
    assumeTrue(asks, "its NICs have neither a loop nor descriptors: they are polled");
  }

  private static boolean asks(BareNic nic) {
    return nic.hasLoop() || nic.call(domain -> domain.waitDescriptors()).length > 0;
  }

  private void until(String what, DutyTurns one, DutyTurns other, BooleanSupplier condition) {
    stage()
        .patience()
        .until(
            what,
            () -> {
              boolean turned = one.turn();
              turned |= other.turn();
              return (turned || (one.isAsleep() && other.isAsleep())) && condition.getAsBoolean();
            });
  }

  private static long median(int count, LongSupplier nanos) {
    long[] all = new long[count];
    Arrays.setAll(all, i -> nanos.getAsLong());
    Arrays.sort(all);
    return all[count / 2];
  }

  @Test
  final void r17_12_aNicThatHasSomethingToDoSaysSo() {
    Wire wire = wire();
    requireOneThatAsks(wire);
    DutyTurns origin = duty(wire.origin());
    DutyTurns target = duty(wire.target());
    for (Deed deed : Deed.values()) {
      for (Moment moment : Moment.values()) {
        long nanos = Long.MAX_VALUE;
        long allowed = PROMPT_NANOS;
        for (int attempt = 0; attempt < ATTEMPTS && nanos > allowed; attempt++) {
          int[] round = {0};
          nanos =
              median(moment.rounds, () -> nanosOf(deed, moment, round[0]++, wire, origin, target));
          // Behind the rounds, since it wakes loops.
          allowed = PROMPT_NANOS + CHANGES_OF_THREAD * median(ROUNDS, () -> nanosOfNothing(wire));
        }
        assertThat(Duration.ofNanos(nanos))
            .as("median of %s rounds until %s was noticed%s", moment.rounds, deed, moment.words)
            .isLessThanOrEqualTo(Duration.ofNanos(allowed));
      }
    }
    int unasked = 0;
    for (int round = 0; round < ROUNDS; round++) {
      unasked += unaskedAfterRefusal(wire, origin, target);
    }
    assertThat(unasked)
        .as("refusals of %s after which only time helped", ROUNDS)
        .isLessThan(ROUNDS / 2);
  }

  /** There and back for both NICs: what the machine takes by itself, at the moment. */
  private static long nanosOfNothing(Wire wire) {
    long begin = System.nanoTime();
    wire.origin().call(nic -> true);
    wire.target().call(nic -> true);
    return System.nanoTime() - begin;
  }

  /** How long it takes until both have noticed. */
  private long nanosOf(
      Deed deed, Moment moment, int round, Wire wire, DutyTurns origin, DutyTurns target) {
    boolean between = moment == Moment.BEFORE_THE_WAIT;
    int reports = wire.origin().reported();
    int arrivals = wire.target().reported();
    if (between) {
      stage().patience().until("a poll that finds nothing", target::pollsNothing);
    } else {
      until("idle NICs", origin, target, () -> origin.isIdle() && target.isIdle());
      origin.turn(); // one that asks to be polled once more before the wait is
      target.turn();
      if (moment == Moment.LATE) {
        stage().rest(Duration.ofMillis(SHORTEST_REST_MILLIS + round * LONGER_EACH_MILLIS));
      }
    }
    stage().patience().until("a deed to be taken over", () -> does(deed, wire, origin));
    long begin = System.nanoTime();
    if (between) {
      for (int turn = 0; turn < 20; turn++) { // it comes meanwhile, or is on its way
        origin.turn();
      }
      target.fallAsleep();
    }
    until(
        "a turn for " + deed,
        origin,
        target,
        () ->
            wire.origin().reported() >= reports + 1
                && (deed == Deed.WRITE || wire.target().reported() > arrivals));
    return System.nanoTime() - begin;
  }

  private static boolean does(Deed deed, Wire wire, DutyTurns origin) {
    Operation op = wire.write(0, 0, 100, 1);
    boolean taken =
        wire.origin()
            .call(nic ->
                switch (deed) {
                  case WRITE -> nic.post(op).isTaken();
                  case ARRIVAL -> nic.post(op.withImm(1)).isTaken();
                });
    origin.wake();
    origin.turn();
    return taken;
  }

  /** How often a turn was given for nothing but time until a refused write was taken over. */
  private int unaskedAfterRefusal(Wire wire, DutyTurns origin, DutyTurns target) {
    int most = wire.origin().call(nic -> nic.capabilities().queueDepth()) + 10_000;
    Operation op = wire.write(0, 0, 1_000, 1);
    int reports = wire.origin().reported();
    int[] taken = {0};
    while (taken[0] < most && wire.origin().call(nic -> nic.post(op).isTaken())) {
      taken[0]++;
    }
    assumeTrue(taken[0] < most, "the backend took " + most + " writes and refused none");
    int before = origin.unasked();
    origin.wake();
    boolean[] again = {false};
    BooleanSupplier retry =
        () -> again[0] || (again[0] = wire.origin().call(nic -> nic.post(op).isTaken()));
    stage()
        .patience()
        .until(
            "a NIC that rests, or takes a write again",
            () -> (origin.turn() && retry.getAsBoolean()) || origin.isIdle());
    stage()
        .patience()
        .until(
            "a turn after which a refused write is taken over",
            () -> {
              if (!again[0]) {
                target.turn();
              }
              return again[0] || (origin.turn() && retry.getAsBoolean());
            });
    int unasked = Math.min(1, origin.unasked() - before);
    origin.wake();
    until("all reported", origin, target, () -> wire.origin().reported() == reports + taken[0] + 1);
    return unasked;
  }

  @Test
  final void r17_13_anIdleNicLetsItsThreadRest() {
    Wire wire = wire();
    requireOneThatAsks(wire);
    DutyTurns origin = duty(wire.origin());
    DutyTurns target = duty(wire.target());
    wire.post(wire.write(0, 0, 100, 1).withImm(1));
    wire.until("an arrival", () -> wire.target().reported() == 1);
    for (BareNic nic : new BareNic[] {wire.origin(), wire.target()}) {
      boolean same =
          nic.call(domain -> DutyTurns.isSame(domain.waitDescriptors(), domain.waitDescriptors()));
      assertThat(same).as("the same descriptors are the same array").isTrue();
    }
    stage().rest(stage().patience().silence()); // such as for what follows a message
    int before = origin.turns() + target.turns();
    long begin = System.nanoTime();
    stage()
        .patience()
        .turning(() -> {
          restlessTurn(wire.origin(), origin);
          restlessTurn(wire.target(), target);
        });
    double millis = (System.nanoTime() - begin) / 1e6;
    assertThat((origin.turns() + target.turns() - before) / millis)
        .as("turns in a millisecond that two idle NICs asked for")
        .isLessThan(1);
  }

  /** A NIC that is polled, as that of another process, is not looked at here. */
  private static void restlessTurn(BareNic nic, DutyTurns turns) {
    if (asks(nic)) {
      turns.turn();
    }
  }

  @Test
  final void r17_14_noCallBlocks() {
    Wire wire = wire();
    expectQuick("poll", () -> wire.origin().nanosOfTurn());
    expectQuick(
        "post",
        () -> {
          wire.turn();
          Operation op = wire.write(0, 0, 100, 1);
          return wire.origin().nanosOf(nic -> nic.post(op).isTaken());
        });
    expectQuick(
        "flush",
        () -> {
          wire.turn();
          Operation op = wire.write(0, 0, 100, 1);
          return wire.origin()
              .call(nic -> {
                nic.post(op);
                long begin = System.nanoTime(); // while there is something to be sent
                nic.flush();
                return System.nanoTime() - begin;
              });
        });
    expectQuick("poll", () -> wire.target().nanosOfTurn());
  }

  /** As who waits every now and then. */
  @Test
  final void r17_14_noPollOfManyBlocks() {
    Wire wire = wire();
    expectNoBlocking(
        "the longest time for which one of " + POLLS + " polls waited",
        () -> wire.origin().blockedNanosOfTurns(POLLS));
  }

  /** As who waits for a connection. */
  @Test
  final void r17_14_noFirstPostBlocks() {
    Wire wire = wire();
    int[] peers = {3};
    expectNoBlocking(
        "the longest time for which the first posts to a peer waited",
        () -> {
          int peer = peers[0]++;
          Wire first =
              Wire.between(
                  wire.origin(),
                  Wire.nic(stage(), peer),
                  stage(),
                  stage().memory(64),
                  stage().memory(64),
                  0);
          Operation op = first.write(0, 0, 10, peer);
          boolean[] isTaken = {false};
          long[] longest = {0};
          first.until(
              "a report of a first write",
              () -> {
                if (!isTaken[0]) {
                  long nanos = first.origin().blockedNanosOf(nic -> isTaken[0] = post(nic, op));
                  longest[0] = Math.max(longest[0], nanos);
                }
                return first.origin().hasReported("written " + peer);
              });
          return longest[0];
        });
  }

  private static boolean post(Domain nic, Operation op) {
    boolean isTaken = nic.post(op).isTaken();
    if (isTaken) {
      nic.flush();
    }
    return isTaken;
  }

  /** Who blocks does so each time; a thread that the JVM stops for a while does not. */
  private static void expectNoBlocking(String what, LongSupplier blockedNanos) {
    assumeTrue(BlockedTime.canBeTaken(), "this system does not tell for how long a thread waits");
    long nanos = Long.MAX_VALUE;
    for (int i = 0; i < ATTEMPTS && nanos >= BLOCKED_NANOS; i++) {
      nanos = blockedNanos.getAsLong();
    }
    assertThat(Duration.ofNanos(nanos)).as(what).isLessThan(Duration.ofNanos(BLOCKED_NANOS));
  }

  private static void expectQuick(String what, LongSupplier nanos) {
    assertThat(Duration.ofNanos(median(CALLS, nanos)))
        .as("median of %s calls of %s", CALLS, what)
        .isLessThan(Duration.ofNanos(NOT_BLOCKED_NANOS));
  }
}
