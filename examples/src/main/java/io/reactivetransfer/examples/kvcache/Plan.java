package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.Device;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a run of the example does; both sides are given the same one.
 *
 * @param backend name of the backend
 * @param provider which of the backend's providers, or null for its choice
 * @param nics NICs of each engine
 * @param device in whose memory the pages lie, on both sides
 * @param shape how much is handed over
 * @param file whose bytes are the pages, or null for random ones
 * @param out where the target writes what arrived, or null
 * @param deadline until when either side must be done
 * @param layerInterval how long each layer takes to compute
 * @param seed of the order of the pages, and of their content
 * @param warmUps hand-overs before the one that counts
 * @param timeline whether it is told when what happens
 * @param verbose whether failures show their stack trace
 */
record Plan(
    String backend,
    @Nullable String provider,
    int nics,
    Device device,
    Shape shape,
    @Nullable Path file,
    @Nullable Path out,
    Duration deadline,
    Duration layerInterval,
    long seed,
    int warmUps,
    boolean timeline,
    boolean verbose) {

  /** The same with other bytes, and other orders of pages. */
  Plan withSeed(long other) {
    return new Plan(
        backend,
        provider,
        nics,
        device,
        shape,
        file,
        out,
        deadline,
        layerInterval,
        other,
        warmUps,
        timeline,
        verbose);
  }

  /** The command line that says the same. */
  List<String> toArguments() {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "kv-cache",
                "--backend=" + backend,
                "--nics=" + nics,
                "--device=" + device,
                "--layers=" + shape.layers(),
                "--pages=" + shape.pages(),
                "--page-size=" + shape.pageBytes(),
                "--rows=" + shape.rows(),
                "--deadline=" + deadline.toSeconds(),
                "--layer-interval=" + layerInterval.toMillis(),
                "--warm-ups=" + warmUps,
                "--seed=" + seed));
    if (provider != null) {
      arguments.add("--provider=" + provider);
    }
    if (file != null) {
      arguments.add("--file=" + file);
    }
    if (out != null) {
      arguments.add("--out=" + out);
    }
    if (timeline) {
      arguments.add("--moments");
    }
    if (verbose) {
      arguments.add("--verbose");
    }
    return arguments;
  }
}
