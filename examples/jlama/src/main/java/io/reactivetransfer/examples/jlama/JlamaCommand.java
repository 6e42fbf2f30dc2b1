package io.reactivetransfer.examples.jlama;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.tools.Backends;
import io.reactivetransfer.tools.OptionValues;
import io.reactivetransfer.tools.Provider;
import io.reactivetransfer.tools.Verbosity;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of the example, and their bounds. */
@Command(
    name = "jlama",
    description = {
      "Runs a small random Llama on Jlama: prefill computes prompts and hands each layer over while"
          + " it computes the next one, decode goes on with the tokens.",
      "Needs Linux on x86-64."
    },
    sortOptions = false,
    footer = {
      "",
      "Prefill and decode are processes of their own, which talk over loopback. Ends with a table;"
          + " \"identical\" means that one JVM alone generates the same tokens.",
      "Exit code 0: identical, and no block lost. 1: something failed, and stderr says what."
          + " 2: a wrong value."
    })
public final class JlamaCommand implements Callable<Integer>, Verbosity {

  /** What a JVM needs to run Jlama, beside what all of ours have. */
  static final List<String> JVM_OPTIONS = List.of("--add-modules=jdk.incubator.vector");

  /** Each head has as many numbers as the longest vectors of a processor, or a multiple of it. */
  private static final List<Integer> EMBEDDINGS = List.of(128, 256, 512, 1_024);

  /** Jlama's rotary embedding must not come near the end of the context. */
  private static final int MAX_TOKENS = 3_500;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      description = "What carries it, see 'doctor'; loopback runs in one JVM. Default: tcp.")
  private String backend = "tcp";

  @Option(
      names = "--provider",
      paramLabel = "NAME",
      description = "For libfabric: its provider, such as tcp, see fi_info. Default: its choice.")
  private @Nullable String provider;

  @Option(
      names = "--tokens",
      paramLabel = "N",
      description = "Tokens of each prompt, 2 to 3,500. Default: 704.")
  private int tokens = 704;

  @Option(
      names = "--generate",
      paramLabel = "N",
      description = "Tokens that decode generates behind each prompt, 1 to 500. Default: 32.")
  private int generate = 32;

  @Option(
      names = "--layers",
      paramLabel = "N",
      description = "Layers of the model, 1 to 32. Default: 4.")
  private int layers = 4;

  @Option(
      names = "--embedding",
      paramLabel = "N",
      description = "Length of an embedding, 128, 256, 512 or 1,024. Default: 256.")
  private int embedding = 256;

  @Option(
      names = "--block-tokens",
      paramLabel = "N",
      description = "Tokens of a block of keys and values, 1 to 1,024. Default: 64.")
  private int blockTokens = 64;

  @Option(
      names = "--decode-block-tokens",
      paramLabel = "N",
      description = "The same for decode. Default: as prefill.")
  private @Nullable Integer decodeBlockTokens;

  @Option(
      names = "--prefills",
      paramLabel = "N",
      description = "Prefill processes, which decode asks in turn, 1 to 4. Default: 1.")
  private int prefills = 1;

  @Option(
      names = "--kill",
      description = "Kill a prefill process within an order; another one, or decode, takes over.")
  private boolean kill;

  @Option(
      names = "--cancel",
      description = "Cancel an order behind its first layer, and order the same prompt again.")
  private boolean cancel;

  @Option(
      names = "--disturb",
      paramLabel = "N",
      description =
          "Cancel N more orders, each at a random moment, and order the same prompts again; with"
              + " --kill, kill all prefill processes but one at such moments. 0 to 1,000. Default:"
              + " 0.")
  private int disturb;

  @Option(
      names = "--both",
      description = "Two processes, each prefill for the other one and decode, at the same time.")
  private boolean both;

  @Option(
      names = "--deadline",
      paramLabel = "S",
      description = "Seconds until an order is given up, 1 to 3,600. Default: 60.")
  private int deadlineSeconds = 60;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of the weights, the prompts and the tokens. Default: 1.")
  private long seed = 1;

  @Option(names = "--verbose", description = "Show stack traces.")
  private boolean verbose;

  @Option(names = "--node", hidden = true, description = "The name of the node that a child is.")
  private @Nullable String node;

  @Option(names = "--serve", hidden = true, description = "Whether that one computes prompts.")
  private boolean serve;

  @Option(names = "--decode", hidden = true, description = "Number of that decode node, or -1.")
  private int decode = -1;

  @Override
  public boolean isVerbose() {
    return verbose;
  }

  /** Runs it. */
  @Override
  public Integer call() throws Exception {
    Plan plan = plan();
    PrintWriter err = spec.commandLine().getErr();
    String objection = Platform.objection();
    if (objection != null) {
      err.println(spec.qualifiedName() + ": " + objection);
      err.flush();
      return ExitCode.SOFTWARE;
    }
    Provider.use(plan.provider());
    // Without it Jlama looks for another of its artifacts, and warns that it is not there.
    System.setProperty("jlama.force_panama_tensor_operations", "true");
    if (node != null) {
      return ChildNode.run(plan, new NodeProgram(node, serve, decode));
    }
    Backends.requireAvailable(plan.backend(), 1);
    PrintWriter out = spec.commandLine().getOut();
    Outcome outcome = Coordinator.run(plan, out);
    ResultTable table = ResultTable.of(plan, outcome, Reference.of(plan));
    out.print(table.text());
    out.flush();
    if (!table.failures().isEmpty()) {
      err.println(spec.qualifiedName() + ": " + String.join("; ", table.failures()));
      err.flush();
      return ExitCode.SOFTWARE;
    }
    return ExitCode.OK;
  }

  private Plan plan() {
    try {
      TransferEngineBuilder.create().backend(backend);
      OptionValues.within("--layers", layers, 1, 32);
      if (!EMBEDDINGS.contains(embedding)) {
        throw new IllegalArgumentException(
            "expected --embedding of " + EMBEDDINGS + ", got " + embedding);
      }
      OptionValues.within("--tokens", tokens, 2, MAX_TOKENS);
      OptionValues.within("--generate", generate, 1, 500);
      OptionValues.within("--block-tokens", blockTokens, 1, 1_024);
      int decodeBlock = decodeBlockTokens == null ? blockTokens : decodeBlockTokens;
      OptionValues.within("--decode-block-tokens", decodeBlock, 1, 1_024);
      OptionValues.within("--prefills", prefills, 1, 4);
      OptionValues.within("--disturb", disturb, 0, 1_000);
      OptionValues.within("--deadline", deadlineSeconds, 1, 3_600);
      requireFit(kill && backend.equals("loopback"), "--kill without --backend loopback");
      requireFit(kill && both, "--kill without --both");
      requireFit(both && prefills > 1, "--both without --prefills");
      requireFit(both && decodeBlock != blockTokens, "--both without --decode-block-tokens");
      return new Plan(
          backend,
          Provider.of(backend, provider),
          layers,
          embedding,
          tokens,
          generate,
          blockTokens,
          decodeBlock,
          prefills,
          kill,
          cancel,
          disturb,
          both,
          seed,
          Duration.ofSeconds(deadlineSeconds),
          verbose);
    } catch (IllegalArgumentException | BackendUnavailableException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private static void requireFit(boolean clash, String expected) {
    if (clash) {
      throw new IllegalArgumentException("expected " + expected + ", got both");
    }
  }
}
