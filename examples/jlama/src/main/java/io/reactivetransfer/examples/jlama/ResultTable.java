package io.reactivetransfer.examples.jlama;

import io.reactivetransfer.examples.jlama.Round.Kind;
import io.reactivetransfer.tools.ByteCount;
import io.reactivetransfer.tools.Provider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** The figures at the end, and what is wrong with them. */
final class ResultTable {

  private final Plan plan;
  private final Outcome outcome;
  private final StringBuilder text = new StringBuilder(System.lineSeparator());
  private final List<String> failures = new ArrayList<>();

  private ResultTable(Plan plan, Outcome outcome) {
    this.plan = plan;
    this.outcome = outcome;
  }

  static ResultTable of(Plan plan, Outcome outcome, Reference reference) {
    ResultTable table = new ResultTable(plan, outcome);
    table.head();
    for (int i = 0; i < outcome.decodes.size(); i++) {
      if (plan.both()) {
        table.line("node-" + (i + 1), "decode, with node-" + (2 - i) + " as prefill");
      }
      table.figures(outcome.decodes.get(i), Round.of(plan, i));
      table.tokens(outcome.decodes.get(i), reference.tokens().get(i));
    }
    table.lost();
    table.blocks();
    return table;
  }

  String text() {
    return text.toString();
  }

  /** What failed, for people; empty if nothing did. */
  List<String> failures() {
    return failures;
  }

  private void head() {
    long bytes = (long) plan.layers() * plan.tokens() * plan.blocks(false).tokenBytes() * 2;
    int decodeBlock = plan.blocks(true).blockTokens();
    line(
        "jlama",
        "%d layers, prompts of %,d tokens, %s of keys and values each, over %s, seed %d"
            .formatted(
                plan.layers(),
                plan.tokens(),
                new ByteCount(bytes),
                Provider.carrier(plan.backend(), plan.provider()),
                plan.seed()));
    line(
        "blocks of",
        decodeBlock == plan.blockTokens()
            ? "%,d tokens on both sides".formatted(decodeBlock)
            : "%,d tokens on the prefill side, %,d on the decode side"
                .formatted(plan.blockTokens(), decodeBlock));
  }

  private void figures(Outcome.OfDecode of, List<Round> rounds) {
    Round prefix = only(rounds, Kind.PREFIX);
    Round again = only(rounds, Kind.AGAIN);
    ToLongFunction<Round> compute = round -> told(of.served, round).computeNanos();
    ToLongFunction<Round> behind = round -> told(of.served, round).behindNanos();
    ToLongFunction<Round> first = round -> told(of.done, round).firstTokenNanos();
    line(
        "compute",
        "%s alone, %s while layers were on their way"
            .formatted(median(rounds, Kind.APART, compute), median(rounds, Kind.WHOLE, compute)));
    line(
        "transfer",
        "%s alone, %s behind the computation, not hidden by it"
            .formatted(median(rounds, Kind.APART, behind), median(rounds, Kind.WHOLE, behind)));
    line(
        "first token",
        "%s after the order; %s if all is computed first"
            .formatted(median(rounds, Kind.WHOLE, first), median(rounds, Kind.APART, first)));
    line("known prefix", known(of, prefix));
    line("", known(of, again));
    if (plan.cancel()) {
      Round cancelled = only(rounds, Kind.CANCELLED);
      line(
          "cancelled",
          "behind layer 1 of %d: prefill stopped behind layer %d; blocks free after %s"
              .formatted(
                  plan.layers(),
                  told(of.stoppedBehind, cancelled),
                  millis(told(of.quietNanos, cancelled))));
    }
    disturbed(of, rounds);
  }

  private void disturbed(Outcome.OfDecode of, List<Round> rounds) {
    if (plan.disturb() == 0) {
      return;
    }
    List<Round> disturbed = rounds.stream().filter(round -> round.kind().endsSometime()).toList();
    List<Round> early =
        disturbed.stream().filter(round -> of.quietNanos.containsKey(round.number())).toList();
    long kills = disturbed.stream().filter(round -> round.kind().kills()).count();
    long slowest = early.stream().mapToLong(round -> told(of.quietNanos, round)).max().orElse(0);
    line(
        "disturbed",
        "%d orders at random moments, %d by a kill: %d had not arrived, blocks free after %s at most"
            .formatted(disturbed.size(), kills, early.size(), millis(slowest)));
  }

  private String known(Outcome.OfDecode of, Round round) {
    Done done = told(of.done, round);
    Served served = told(of.served, round);
    return "%,d tokens on the decode side, %,d on the prefill side: %s moved, first token after %s"
        .formatted(
            done.known(), served.known(), new ByteCount(served.bytes()), firstToken(of, round));
  }

  private void tokens(Outcome.OfDecode of, Map<Integer, List<Integer>> reference) {
    int same = 0;
    for (Map.Entry<Integer, List<Integer>> round : reference.entrySet()) {
      Done done = of.done.get(round.getKey());
      if (done != null && done.tokens().equals(round.getValue())) {
        same++;
      }
    }
    if (same == reference.size()) {
      line(
          "tokens",
          "identical: %d prompts of %d tokens, compared with one JVM"
              .formatted(same, plan.generate()));
    } else {
      line("tokens", "NOT identical: %d of %d prompts".formatted(same, reference.size()));
      failures.add("tokens differ from those of one JVM");
    }
  }

  private void lost() {
    if (!plan.kill()) {
      return;
    }
    List<Round> rounds = Round.of(plan, 0);
    boolean found = false;
    for (Outcome.Lost lost : outcome.lost) {
      boolean behindLayer1 = rounds.get(lost.round()).kind() == Kind.KILLED;
      line(
          "lost",
          "%s, killed %s, found after %s: %s"
              .formatted(
                  lost.node(),
                  behindLayer1 ? "behind layer 1 of " + plan.layers() : "at a random moment",
                  millis(lost.foundNanos()),
                  lost.reason()));
      line("", lost.text());
      found |= behindLayer1;
    }
    if (!found) {
      failures.add("the kill of a prefill node was not found");
    }
    line(
        "",
        outcome.lost.size() < plan.prefills()
            ? "another one took over"
            : "decode computed the prompt itself");
  }

  private void blocks() {
    for (Outcome.Blocks blocks : outcome.blocks) {
      line(
          "blocks",
          "%s: %,d of %,d lost, %,d known prefixes"
              .formatted(blocks.node(), blocks.held(), blocks.all(), blocks.cached()));
      if (blocks.held() > 0) {
        failures.add(blocks.node() + " has lost blocks");
      }
    }
  }

  private static String median(List<Round> rounds, Kind kind, ToLongFunction<Round> nanos) {
    long[] sorted =
        rounds.stream().filter(round -> round.kind() == kind).mapToLong(nanos).sorted().toArray();
    return millis(sorted[sorted.length / 2]);
  }

  private static Round only(List<Round> rounds, Kind kind) {
    return rounds.stream().filter(round -> round.kind() == kind).findFirst().orElseThrow();
  }

  private static <T> T told(Map<Integer, T> ofRounds, Round round) {
    T told = ofRounds.get(round.number());
    if (told == null) {
      throw new IllegalStateException("nobody told of round " + round.number());
    }
    return told;
  }

  private static String firstToken(Outcome.OfDecode of, Round round) {
    return millis(told(of.done, round).firstTokenNanos());
  }

  private static String millis(long nanos) {
    return "%.2f ms".formatted(nanos / 1e6);
  }

  private void line(String name, String figures) {
    text.append("%-15s".formatted(name)).append(figures).append(System.lineSeparator());
  }
}
