package io.reactivetransfer.weights.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How two tables differ: of ranks, groups and tensors, and of each rank of the trainer what it does
 * for each tensor. The order of steps does not matter.
 *
 * @param removed lines of {@link RoutingTable#print} that only the first one has; those of steps
 *     begin with the name of the rank
 * @param added lines that only the second one has
 */
public record TableDiff(List<String> removed, List<String> added) {

  /** Keeps the lists as they are. */
  public TableDiff {
    removed = List.copyOf(removed);
    added = List.copyOf(added);
  }

  /** How the second table differs from the first one. */
  public static TableDiff between(RoutingTable before, RoutingTable after) {
    List<String> removed = new ArrayList<>();
    List<String> added = new ArrayList<>();
    compare("", new TableText(before).head(), new TableText(after).head(), removed, added);
    Set<String> ranks = new LinkedHashSet<>();
    before.sources().forEach(rank -> ranks.add(rank.name()));
    after.sources().forEach(rank -> ranks.add(rank.name()));
    for (String rank : ranks) {
      Map<String, List<Step>> old = steps(before, rank);
      Map<String, List<Step>> now = steps(after, rank);
      Set<String> tensors = new LinkedHashSet<>();
      before.tensors().forEach(tensor -> tensors.add(tensor.tensor().name()));
      after.tensors().forEach(tensor -> tensors.add(tensor.tensor().name()));
      for (String tensor : tensors) {
        compare(
            rank + ": ",
            lines(before, old.getOrDefault(tensor, List.of())),
            lines(after, now.getOrDefault(tensor, List.of())),
            removed,
            added);
      }
    }
    return new TableDiff(removed, added);
  }

  private static Map<String, List<Step>> steps(RoutingTable table, String rank) {
    Map<String, List<Step>> steps = new HashMap<>();
    for (int source = 0; source < table.sources().size(); source++) {
      if (table.sources().get(source).name().equals(rank)) {
        for (Step step : table.steps(source)) {
          String tensor = table.tensors().get(step.tensor()).tensor().name();
          steps.computeIfAbsent(tensor, _ -> new ArrayList<>()).add(step);
        }
      }
    }
    return steps;
  }

  /**
   * Each line of a step says what it belongs to, so that equal lines of two steps are told apart.
   */
  private static List<String> lines(RoutingTable table, List<Step> steps) {
    List<String> lines = new ArrayList<>();
    for (Step step : steps) {
      List<String> ofStep = new TableText(table).lines(step);
      lines.add(ofStep.getFirst());
      ofStep.stream().skip(1).forEach(line -> lines.add(ofStep.getFirst() + ":" + line));
    }
    return lines;
  }

  private static void compare(
      String prefix,
      List<String> before,
      List<String> after,
      List<String> removed,
      List<String> added) {
    if (before.equals(after)) {
      return;
    }
    Set<String> old = new HashSet<>(before);
    Set<String> now = new HashSet<>(after);
    before.stream().filter(line -> !now.contains(line)).forEach(line -> removed.add(prefix + line));
    after.stream().filter(line -> !old.contains(line)).forEach(line -> added.add(prefix + line));
  }

  /** Whether there is no difference. */
  public boolean isEmpty() {
    return removed.isEmpty() && added.isEmpty();
  }

  /** A line for each difference: what was removed after a minus, what was added after a plus. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    removed.forEach(line -> text.append("- ").append(line).append('\n'));
    added.forEach(line -> text.append("+ ").append(line).append('\n'));
    return text.toString();
  }
}
