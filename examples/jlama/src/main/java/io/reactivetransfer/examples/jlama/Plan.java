package io.reactivetransfer.examples.jlama;

import io.reactivetransfer.examples.jlama.engine.BlockLayout;
import io.reactivetransfer.examples.jlama.engine.ModelShape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a run of the example does; all nodes are given the same one.
 *
 * @param backend name of the backend
 * @param provider which of the backend's providers, or null for its choice
 * @param layers of the model
 * @param embedding of the model
 * @param tokens of each prompt
 * @param generate how many tokens are generated behind a prompt
 * @param blockTokens tokens of a block on the prefill side
 * @param decodeBlockTokens tokens of a block on the decode side
 * @param prefills how many prefill nodes
 * @param kill whether one of them is killed within an order
 * @param cancel whether an order is cancelled within
 * @param disturb how many orders are disturbed at random moments
 * @param both whether there are two nodes, each prefill for the other one
 * @param seed of the weights, the prompts, and the choice between tokens
 * @param deadline of each order
 * @param verbose whether failures show their stack trace
 */
record Plan(
    String backend,
    @Nullable String provider,
    int layers,
    int embedding,
    int tokens,
    int generate,
    int blockTokens,
    int decodeBlockTokens,
    int prefills,
    boolean kill,
    boolean cancel,
    int disturb,
    boolean both,
    long seed,
    Duration deadline,
    boolean verbose) {

  /** Prompts that a node works on or keeps in its cache; more of them push old ones out. */
  private static final int PROMPTS = 6;

  ModelShape model() {
    return ModelShape.small(layers, embedding);
  }

  /** The blocks of a node, enough for some prompts and what is generated behind them. */
  BlockLayout blocks(boolean decodes) {
    int length = decodes && !both ? decodeBlockTokens : blockTokens;
    return new BlockLayout(model(), length, PROMPTS * Math.ceilDiv(tokens + generate, length));
  }

  /** The command line that says the same. */
  List<String> toArguments() {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "jlama",
                "--backend=" + backend,
                "--layers=" + layers,
                "--embedding=" + embedding,
                "--tokens=" + tokens,
                "--generate=" + generate,
                "--block-tokens=" + blockTokens,
                "--decode-block-tokens=" + decodeBlockTokens,
                "--prefills=" + prefills,
                "--disturb=" + disturb,
                "--seed=" + seed,
                "--deadline=" + deadline.toSeconds()));
    if (provider != null) {
      arguments.add("--provider=" + provider);
    }
    if (kill) {
      arguments.add("--kill");
    }
    if (cancel) {
      arguments.add("--cancel");
    }
    if (both) {
      arguments.add("--both");
    }
    if (verbose) {
      arguments.add("--verbose");
    }
    return arguments;
  }
}
