package io.reactivetransfer.examples.weights;

import io.reactivetransfer.Device;
import io.reactivetransfer.weights.DataType;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a run of the example does; all processes are given the same one.
 *
 * @param backend name of the backend
 * @param provider which of the backend's providers, or null for its choice
 * @param nics NICs of each engine
 * @param device in whose memory the weights lie, on both sides
 * @param size bytes of a model that is made, if there is no file
 * @param file a safetensors file or the index of several, or null
 * @param from how trainers share the model out
 * @param to how inference ranks do
 * @param watermark bytes of temporaries of each trainer
 * @param parallelism how many steps a trainer prepares at once
 * @param checksums of which bytes trainers tell checksums
 * @param mode where updates are written
 * @param deadline of an update
 * @param liveness after which silence a process counts as lost
 * @param signals where engines signal
 * @param seed of the values
 * @param moments whether workers remember what happened when
 * @param verbose whether failures show their stack trace
 */
record Plan(
    String backend,
    @Nullable String provider,
    int nics,
    Device device,
    long size,
    @Nullable Path file,
    Layout from,
    Layout to,
    long watermark,
    int parallelism,
    Checks checksums,
    Mode mode,
    Duration deadline,
    Duration liveness,
    Signals signals,
    long seed,
    boolean moments,
    boolean verbose) {

  /** Whether all parts are in this process. */
  boolean inProcess() {
    return backend.equals("loopback");
  }

  int trainers() {
    return from.ranks();
  }

  int ranks() {
    return to.ranks();
  }

  /** The model, and its values. */
  Weights open() throws IOException {
    Path path = file;
    return path == null ? new MadeWeights(Model.made(size, type()), seed) : FileWeights.open(path);
  }

  private DataType type() {
    return Objects.requireNonNullElse(from.type(), DataType.BF16);
  }

  /** The command line that says the same. */
  List<String> toArguments() {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "weights",
                "--backend=" + backend,
                "--nics=" + nics,
                "--device=" + device,
                "--size=" + size,
                "--from=" + from,
                "--to=" + to,
                "--watermark=" + watermark,
                "--parallelism=" + parallelism,
                "--checksums=" + checksums,
                "--mode=" + mode,
                "--deadline=" + deadline.toSeconds(),
                "--liveness=" + liveness.toMillis(),
                "--signals=" + signals,
                "--seed=" + seed));
    if (provider != null) {
      arguments.add("--provider=" + provider);
    }
    if (moments) {
      arguments.add("--moments");
    }
    if (verbose) {
      arguments.add("--verbose");
    }
    if (file != null) {
      arguments.add(file.toString());
    }
    return arguments;
  }
}
