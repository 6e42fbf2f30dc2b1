package io.reactivetransfer.tools.perf;

import io.reactivetransfer.tools.Provider;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What is measured; both sides are given the same one.
 *
 * @param backend name of the backend
 * @param provider which of the backend's providers, or null for its choice
 * @param inProcess whether both sides are in one process
 * @param op what one operation is
 * @param sizes bytes of a write, a page, a part or a message
 * @param pages pages or parts of one operation, if it has them
 * @param outstanding operations in flight
 * @param nics NICs of each engine
 * @param seconds how long each size is measured, over all rounds
 * @param warmup seconds that each size runs before that
 * @param rounds into how many parts the time of a size is cut
 * @param verify whether what arrived is compared
 * @param reference whether the reference is measured, too
 * @param signals where the engines signal
 * @param verbose whether failures show their stack trace
 */
record Plan(
    String backend,
    @Nullable String provider,
    boolean inProcess,
    Op op,
    List<Long> sizes,
    int pages,
    int outstanding,
    int nics,
    double seconds,
    double warmup,
    int rounds,
    boolean verify,
    boolean reference,
    Signals signals,
    boolean verbose) {

  /** What carries it, for people. */
  String carrier() {
    return Provider.carrier(backend, provider);
  }

  /** Parts of one operation. */
  int parts() {
    return op.hasParts() ? pages : 1;
  }

  long largest() {
    return Collections.max(sizes);
  }

  long roundNanos() {
    return (long) (seconds * 1e9 / rounds);
  }

  long warmupNanos() {
    return (long) (warmup * 1e9);
  }

  /** The command line of a child process: what a role must know of it. */
  List<String> toArguments() {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "perf",
                "--backend=" + backend,
                "--op=" + op,
                "--size=" + sizes.stream().map(String::valueOf).collect(Collectors.joining(",")),
                "--pages=" + pages,
                "--outstanding=" + outstanding,
                "--nics=" + nics,
                "--signals=" + signals));
    if (provider != null) {
      arguments.add("--provider=" + provider);
    }
    if (verify) {
      arguments.add("--verify");
    }
    if (verbose) {
      arguments.add("--verbose");
    }
    return arguments;
  }
}
