package io.reactivetransfer.examples.jlama;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One prompt that a decode node has computed for it.
 *
 * @param number from 0 on
 * @param kind what it is to show
 * @param prompt the tokens
 */
record Round(int number, Kind kind, List<Integer> prompt) {

  /** What a round is to show. */
  enum Kind {
    /** Nothing; compilers and caches of both sides are warm afterwards. */
    WARM,
    /** A prompt that is computed first and handed over then. */
    APART,
    /** A prompt whose layers are handed over while the next ones are computed. */
    WHOLE,
    /** The first half of that prompt, and another second half. */
    PREFIX,
    /** That prompt again: the blocks are there, only the last hidden state is missing. */
    AGAIN,
    /** A prompt that is not wanted any more behind the first layer. */
    CANCELLED,
    /** That prompt after all. */
    AFTER_CANCEL,
    /** A prompt whose prefill node is killed behind the first layer. */
    KILLED,
    /** A prompt that is not wanted any more at a random moment. */
    CANCELLED_SOMETIME,
    /** A prompt whose prefill node is killed at a random moment. */
    KILLED_SOMETIME;

    boolean isWarm() {
      return this == WARM;
    }

    /** Whether the order ends behind the first layer. */
    boolean endsEarly() {
      return this == CANCELLED || this == KILLED;
    }

    /** Whether it ends at a random moment, unless all has arrived before. */
    boolean endsSometime() {
      return this == CANCELLED_SOMETIME || this == KILLED_SOMETIME;
    }

    /** Whether it ends because its prefill node is killed. */
    boolean kills() {
      return this == KILLED || this == KILLED_SOMETIME;
    }
  }

  private static final double LATEST = 1.2;

  /** Runs of a prompt until a JVM has compiled most of it. */
  private static final int WARM_UPS = 2;

  /**
   * How many rounds the figures are medians of: one alone says little on a machine that is busy.
   */
  private static final int MEASURED = 3;

  /** The rounds of one decode node, the same ones wherever they are asked for. */
  static List<Round> of(Plan plan, int decode) {
    SplittableRandom random = new SplittableRandom(plan.seed() * 31 + decode);
    List<Round> rounds = new ArrayList<>();
    int prefills = plan.both() ? 1 : plan.prefills();
    for (int i = 0; i < WARM_UPS * prefills; i++) {
      add(rounds, Kind.WARM, prompt(plan, random));
    }
    List<Integer> whole = List.of();
    for (int i = 0; i < MEASURED; i++) {
      add(rounds, Kind.APART, prompt(plan, random));
      whole = prompt(plan, random);
      add(rounds, Kind.WHOLE, whole);
    }
    List<Integer> other = new ArrayList<>(whole.subList(0, whole.size() / 2));
    other.addAll(prompt(plan, random).subList(other.size(), whole.size()));
    add(rounds, Kind.PREFIX, other);
    add(rounds, Kind.AGAIN, whole);
    if (plan.cancel()) {
      List<Integer> unwanted = prompt(plan, random);
      add(rounds, Kind.CANCELLED, unwanted);
      add(rounds, Kind.AFTER_CANCEL, unwanted);
    }
    for (Kind kind : disturbances(plan, random)) {
      add(rounds, kind, prompt(plan, random));
    }
    if (plan.kill()) {
      add(rounds, Kind.KILLED, prompt(plan, random));
    }
    return rounds;
  }

  /** All prefill nodes but the last one are killed in some of them. */
  private static List<Kind> disturbances(Plan plan, SplittableRandom random) {
    List<Kind> kinds =
        new ArrayList<>(Collections.nCopies(plan.disturb(), Kind.CANCELLED_SOMETIME));
    int kills = plan.kill() ? Math.min(plan.prefills() - 1, plan.disturb()) : 0;
    Collections.fill(kinds.subList(0, kills), Kind.KILLED_SOMETIME);
    Collections.shuffle(kinds, random);
    return kinds;
  }

  private static void add(List<Round> rounds, Kind kind, List<Integer> prompt) {
    rounds.add(new Round(rounds.size(), kind, prompt));
  }

  private static List<Integer> prompt(Plan plan, SplittableRandom random) {
    return random.ints(plan.tokens(), 0, plan.model().vocabulary()).boxed().toList();
  }

  /** The same prompt once more, which nothing disturbs. */
  Round again() {
    return new Round(number, Kind.WHOLE, prompt);
  }

  /** When it is disturbed, as a part of the time that a hand-over takes; a little more is late. */
  double moment(Plan plan) {
    return new SplittableRandom(seed(plan)).nextDouble(LATEST);
  }

  /** Decides between likely tokens. */
  long seed(Plan plan) {
    return plan.seed() + number;
  }
}
