package io.reactivetransfer.tools.soak;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What both sides do; the seed decides everything but the timing.
 *
 * @param backend what carries it
 * @param provider for libfabric, or null for its choice
 * @param nics NICs of the engines that stay open; the others alternate between one and as many
 * @param streams streams of each engine in each direction
 * @param time how long
 * @param phase how long an engine lives that is opened again and again
 * @param limit how long an answer may take; one that takes longer is lost
 * @param seed decides plan and content
 * @param without what is left out
 * @param verbose whether failures come with a stack trace
 */
record Plan(
    String backend,
    @Nullable String provider,
    int nics,
    int streams,
    Duration time,
    Duration phase,
    Duration limit,
    long seed,
    Set<Feature> without,
    boolean verbose) {

  Plan {
    without = without.isEmpty() ? Set.of() : Set.copyOf(EnumSet.copyOf(without));
  }

  boolean has(Feature feature) {
    return !without.contains(feature);
  }

  /** The same plan for a process of its own. */
  List<String> toArguments() {
    List<String> arguments = new ArrayList<>();
    arguments.add("soak");
    arguments.add("--backend=" + backend);
    if (provider != null) {
      arguments.add("--provider=" + provider);
    }
    arguments.add("--nics=" + nics);
    arguments.add("--streams=" + streams);
    arguments.add("--minutes=" + time.toMillis() / 60_000.0);
    arguments.add("--limit=" + limit.toSeconds());
    arguments.add("--seed=" + seed);
    if (!without.isEmpty()) {
      arguments.add("--without=" + namesOf(without));
    }
    if (verbose) {
      arguments.add("--verbose");
    }
    return arguments;
  }

  static String namesOf(Set<Feature> features) {
    return features.stream().sorted().map(Feature::toString).collect(Collectors.joining(","));
  }
}
