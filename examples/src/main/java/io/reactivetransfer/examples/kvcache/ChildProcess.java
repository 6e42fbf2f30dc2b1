package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.tools.CommandLines;
import io.reactivetransfer.tools.process.Parent;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import picocli.CommandLine.ExitCode;

/**
 * One side in a process of its own. It talks to its parent in lines: a word, a blank, the rest. The
 * address of prefill comes in by stdin, not by the command line, because it holds keys and
 * everybody can read a command line.
 */
final class ChildProcess {

  static final String ADDRESS = "address";
  static final String LAYERS = "layers";
  static final String SAID = "said";
  static final String HAPPENED = "happened";
  static final String REPORT = "report";

  private ChildProcess() {}

  static int run(Role role, Plan plan) throws InterruptedException {
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    Parent parent = new Parent();
    parent.listen(told::add, line -> false);
    RoleEvents events = new Lines(parent);
    try {
      String report =
          role == Role.PREFILL
              ? PrefillRole.run(plan, events).toLine()
              : DecodeRole.run(plan, PeerAddress.fromText(told.take()), events).toLine();
      parent.tell(REPORT, report);
      return ExitCode.OK;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      if (plan.verbose()) {
        e.printStackTrace();
      }
      System.err.println(role.side() + ": " + CommandLines.describe(e));
      return ExitCode.SOFTWARE;
    }
  }

  private record Lines(Parent parent) implements RoleEvents {

    @Override
    public void address(PeerAddress address) {
      parent.tell(ADDRESS, address.toText());
    }

    @Override
    public void layersDone(int layers) {
      parent.tell(LAYERS, String.valueOf(layers));
    }

    @Override
    public void happened(Moment moment) {
      parent.tell(HAPPENED, moment.toLine());
    }

    @Override
    public void said(String text) {
      parent.tell(SAID, text);
    }
  }
}
