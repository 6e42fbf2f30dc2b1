package io.reactivetransfer.tools.perf;

import io.reactivetransfer.Device;
import io.reactivetransfer.tools.Provider;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What is measured; both sides are given the same one.
 *
 * @param backend name of the backend
 * @param provider which of the backend's providers, or null for its choice
 * @param place where the two sides are
 * @param host the address of this machine that this side listens on, or null for the loopback one
 * @param op what one operation is
 * @param sizes bytes of a write, a page, a part or a message
 * @param pages pages or parts of one operation, if it has them
 * @param peers engines that are written to, each by a write of its own
 * @param outstanding operations in flight
 * @param memory bytes that operations go over one after the other, 0 for those in flight
 * @param nics NICs of each engine
 * @param device in whose memory both sides write from and to
 * @param seconds how long each size is measured, over all rounds
 * @param warmup seconds that each size runs before that
 * @param settles whether it runs on after that until the compilers have hardly anything to do
 * @param rounds into how many parts the time of a size is cut
 * @param verify whether what arrived is compared
 * @param reference whether the reference is measured, too
 * @param signals where the engines signal
 * @param verbose whether failures show their stack trace
 */
record Plan(
    String backend,
    @Nullable String provider,
    Place place,
    @Nullable String host,
    Op op,
    List<Long> sizes,
    int pages,
    int peers,
    int outstanding,
    long memory,
    int nics,
    Device device,
    double seconds,
    double warmup,
    boolean settles,
    int rounds,
    boolean verify,
    boolean reference,
    Signals signals,
    boolean verbose) {

  /** Where the two sides are. */
  enum Place {
    ONE_PROCESS,
    TWO_PROCESSES,
    TWO_HOSTS;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  boolean inProcess() {
    return place == Place.ONE_PROCESS;
  }

  /** Whether that is memory of the host. */
  boolean inHostMemory() {
    return device.equals(Device.HOST);
  }

  /** The same for a side that listens on this address of its machine. */
  Plan at(String address) {
    return new Plan(
        backend,
        provider,
        place,
        address,
        op,
        sizes,
        pages,
        peers,
        outstanding,
        memory,
        nics,
        device,
        seconds,
        warmup,
        settles,
        rounds,
        verify,
        reference,
        signals,
        verbose);
  }

  /** What carries it, for people. */
  String carrier() {
    return Provider.carrier(backend, provider);
  }

  /** Parts of one operation. */
  int parts() {
    return op.hasParts() ? pages : peers;
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

  /** What a role must know of it, as on the command line. */
  List<String> toArguments() {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--backend=" + backend,
                "--op=" + op,
                "--size=" + sizes.stream().map(String::valueOf).collect(Collectors.joining(",")),
                "--pages=" + pages,
                "--peers=" + peers,
                "--outstanding=" + outstanding,
                "--nics=" + nics,
                "--signals=" + signals));
    if (!inHostMemory()) {
      arguments.add("--device=" + device);
    }
    if (memory > 0) {
      arguments.add("--memory=" + memory);
    }
    if (provider != null) {
      arguments.add("--provider=" + provider);
    }
    if (host != null) {
      arguments.add("--host=" + host);
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
