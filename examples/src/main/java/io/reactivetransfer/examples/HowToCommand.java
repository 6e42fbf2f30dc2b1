package io.reactivetransfer.examples;

import io.reactivetransfer.examples.howto.CancelWrites;
import io.reactivetransfer.examples.howto.CountArrivals;
import io.reactivetransfer.examples.howto.EncryptConnections;
import io.reactivetransfer.examples.howto.LosePeer;
import io.reactivetransfer.examples.howto.ManyWrites;
import io.reactivetransfer.examples.howto.MeetAtBarrier;
import io.reactivetransfer.examples.howto.MissDeadlines;
import io.reactivetransfer.examples.howto.OwnBackend;
import io.reactivetransfer.examples.howto.RevokeMemory;
import io.reactivetransfer.examples.howto.SendMessages;
import io.reactivetransfer.examples.howto.ShareEngine;
import io.reactivetransfer.examples.howto.ShowMeters;
import io.reactivetransfer.examples.howto.SignalPeers;
import io.reactivetransfer.examples.howto.UseDeviceMemory;
import io.reactivetransfer.examples.howto.WatchWord;
import io.reactivetransfer.examples.howto.WritePages;
import io.reactivetransfer.examples.howto.WriteRows;
import io.reactivetransfer.examples.howto.WriteToSeveral;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs one of the short programs of docs/examples.md, or lists them. */
@Command(
    name = "how-to",
    description = "One of the short programs of docs/examples.md; without a name it lists them.")
public final class HowToCommand implements Callable<Integer> {

  /** What all of them are. */
  @FunctionalInterface
  private interface Program {
    void main(String[] arguments) throws Exception;
  }

  private static final Map<String, Program> PROGRAMS = programs();

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Parameters(index = "0", arity = "0..1", paramLabel = "NAME", description = "Which one.")
  private @Nullable String name;

  @Parameters(
      index = "1..*",
      paramLabel = "FILE",
      description = "What encrypt-connections takes; the others take nothing.")
  private String[] arguments = {};

  private static Map<String, Program> programs() {
    Map<String, Program> programs = new TreeMap<>();
    programs.put("cancel-writes", CancelWrites::main);
    programs.put("count-arrivals", CountArrivals::main);
    programs.put("encrypt-connections", EncryptConnections::main);
    programs.put("lose-peer", LosePeer::main);
    programs.put("many-writes", ManyWrites::main);
    programs.put("meet-at-barrier", MeetAtBarrier::main);
    programs.put("miss-deadlines", MissDeadlines::main);
    programs.put("own-backend", OwnBackend::main);
    programs.put("revoke-memory", RevokeMemory::main);
    programs.put("send-messages", SendMessages::main);
    programs.put("share-engine", ShareEngine::main);
    programs.put("show-meters", ShowMeters::main);
    programs.put("signal-peers", SignalPeers::main);
    programs.put("use-device-memory", UseDeviceMemory::main);
    programs.put("watch-word", WatchWord::main);
    programs.put("write-pages", WritePages::main);
    programs.put("write-rows", WriteRows::main);
    programs.put("write-to-several", WriteToSeveral::main);
    return programs;
  }

  @Override
  public Integer call() throws Exception {
    String chosen = name;
    if (chosen == null) {
      PROGRAMS.keySet().forEach(spec.commandLine().getOut()::println);
      return ExitCode.OK;
    }
    Program program = PROGRAMS.get(chosen);
    boolean takesFiles = chosen.equals("encrypt-connections");
    if (program == null) {
      throw new ParameterException(
          spec.commandLine(),
          "expected one of " + String.join(", ", PROGRAMS.keySet()) + ", got " + chosen);
    }
    if (arguments.length != (takesFiles ? 4 : 0)) {
      throw new ParameterException(
          spec.commandLine(),
          "expected "
              + (takesFiles ? "4 files: secret, certificate, key, authority" : "no file")
              + ", got "
              + arguments.length);
    }
    program.main(arguments);
    return ExitCode.OK;
  }
}
