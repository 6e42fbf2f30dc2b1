package io.reactivetransfer.examples.moe;

import io.reactivetransfer.Device;
import io.reactivetransfer.moe.ExpertPlacement;
import io.reactivetransfer.moe.MoeShape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a run of the example does; all processes are given the same one.
 *
 * @param backend name of the backend
 * @param provider which of the backend's providers, or null for its choice
 * @param nics NICs of each engine
 * @param device in whose memory tokens, results and sums lie
 * @param ranks how many ranks there are, each with tokens of its own
 * @param tokens of each rank in a step
 * @param experts how many there are on all ranks
 * @param topK to how many of them a token goes
 * @param hidden numbers of a token
 * @param skew how uneven the choice of experts is; 0 is even
 * @param privateSlots for each other rank, or null for what the library takes
 * @param maxReceived the most that a rank may get in a step, or null for whatever may come
 * @param inPlace whether experts compute where tokens have come
 * @param lanes how many steps may overlap
 * @param signals where engines signal and groups work
 * @param deadline of whatever is waited for in a step
 * @param liveness after which silence a process counts as lost
 * @param seed of the tokens, and of all that happens at random
 * @param verbose whether failures show their stack trace
 */
record Plan(
    String backend,
    @Nullable String provider,
    int nics,
    Device device,
    int ranks,
    int tokens,
    int experts,
    int topK,
    int hidden,
    double skew,
    @Nullable Integer privateSlots,
    @Nullable Integer maxReceived,
    boolean inPlace,
    int lanes,
    Signals signals,
    Duration deadline,
    Duration liveness,
    long seed,
    boolean verbose) {

  /** How many numbers of a token have one scale. */
  static final int SCALED = 128;

  /** Whether all parts are in this process. */
  boolean inProcess() {
    return backend.equals("loopback");
  }

  /** How many scales a token has. */
  int scales() {
    return Math.ceilDiv(hidden, SCALED);
  }

  /** Bytes of a token on the way out: numbers of one byte each, and scales of four. */
  int tokenBytes() {
    return hidden + Float.BYTES * scales();
  }

  /** What the ranks of a group agree on, which may be fewer than there were. */
  MoeShape shape(int ofRanks) {
    MoeShape.Builder shape =
        MoeShape.builder(ExpertPlacement.even(ofRanks, experts), topK, tokens, tokenBytes(), hidden)
            .inPlace(inPlace)
            .lanes(lanes);
    if (privateSlots != null) {
      shape.privateTokens(privateSlots);
    }
    if (maxReceived != null) {
      shape.maxReceived(maxReceived);
    }
    return shape.build();
  }

  /** The command line that says the same. */
  List<String> toArguments() {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "moe",
                "--backend=" + backend,
                "--nics=" + nics,
                "--device=" + device,
                "--ranks=" + ranks,
                "--tokens=" + tokens,
                "--experts=" + experts,
                "--top-k=" + topK,
                "--hidden=" + hidden,
                "--skew=" + skew,
                "--lanes=" + lanes,
                "--signals=" + signals,
                "--deadline=" + deadline.toSeconds(),
                "--liveness=" + liveness.toMillis(),
                "--seed=" + seed));
    if (provider != null) {
      arguments.add("--provider=" + provider);
    }
    if (privateSlots != null) {
      arguments.add("--private-slots=" + privateSlots);
    }
    if (maxReceived != null) {
      arguments.add("--max-received=" + maxReceived);
    }
    if (inPlace) {
      arguments.add("--in-place");
    }
    if (verbose) {
      arguments.add("--verbose");
    }
    return arguments;
  }
}
