package io.reactivetransfer.tools.perf;

import io.reactivetransfer.tools.Backends;
import io.reactivetransfer.tools.CommandLines;
import io.reactivetransfer.tools.Gpus;
import io.reactivetransfer.tools.process.Child;
import io.reactivetransfer.tools.process.Connection;
import io.reactivetransfer.tools.process.HostListener;
import io.reactivetransfer.tools.process.HostPort;
import io.reactivetransfer.tools.process.LineChannel;
import io.reactivetransfer.tools.process.OnExit;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The command that waits for a {@link HostSide}: for each plan it starts a target in a process of
 * its own, and passes on what the two say to each other.
 */
public final class Listening implements LineChannel.Listener {

  static final String PLAN = "plan";
  static final String ABANDON = "abandon";
  static final String LEAVE = "leave";
  static final String SEPARATOR = "\t";

  /** All that another host may say of a plan; the bounds of the values are the command's. */
  private static final Pattern ARGUMENT =
      Pattern.compile(
          "--(backend|provider|op|size|pages|peers|outstanding|memory|nics|signals)=[\\w.,;+-]{1,200}"
              + "|--device=[a-z0-9-]{1,32}(:[0-9]{1,9})?|--verify");

  private final Connection connection;
  private final Map<String, Supplier<String>> answers;
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile @Nullable Child target;
  private volatile @Nullable String failure;
  private volatile boolean goodbye;
  private volatile boolean abandoned;

  private Listening(Connection connection, Map<String, Supplier<String>> answers) {
    this.connection = connection;
    this.answers = answers;
  }

  /**
   * Waits for another host, and is of use to it until it says goodbye.
   *
   * @param answers what else may be asked, by a word
   * @param said is told where it listens, and what it is asked for
   * @throws SideFailedException if it went away without a goodbye, or the target here failed
   */
  public static void serve(
      HostPort at, Map<String, Supplier<String>> answers, Consumer<String> said)
      throws IOException, SideFailedException, InterruptedException {
    try (Connection connection = HostListener.awaitOne(at, said)) {
      Listening listening = new Listening(connection, answers);
      try (OnExit _ = OnExit.run(listening::destroy)) {
        connection.listen(listening);
        listening.over.await();
        listening.requireWell();
      } finally {
        listening.destroy();
      }
    }
  }

  private void requireWell() throws SideFailedException {
    String how = failure;
    if (how == null && !goodbye) {
      how = "the other side at " + connection.remoteHost() + " went away";
    }
    if (how != null) {
      throw new SideFailedException(how, null);
    }
  }

  private void destroy() {
    Child running = target;
    if (running != null) {
      running.destroy();
    }
  }

  @Override
  public void line(String line) {
    Child running = target;
    String word = Role.word(line);
    if (word.equals(LEAVE)) {
      goodbye = true;
      over.countDown();
    } else if (word.equals(ABANDON)) {
      // One that has ended already was not ended by this, and how it did is to be said.
      abandoned = running != null && running.ending() == null;
      destroy();
    } else if (running != null) {
      running.tell(line);
    } else {
      answer(word, line.substring(word.length()).strip());
    }
  }

  @Override
  public void ended() {
    over.countDown();
  }

  private void answer(String word, String rest) {
    try {
      Supplier<String> known = answers.get(word);
      if (known != null) {
        connection.tell(ChildProcess.ANSWER + " " + known.get());
      } else if (word.equals(PLAN)) {
        startOrRefuse(rest);
      } else {
        throw new IllegalArgumentException(
            "this command does not know that; use the same one on both hosts");
      }
    } catch (RuntimeException e) {
      connection.tell(ChildProcess.FAILED + " " + CommandLines.describe(e));
    }
  }

  /** Whoever has given a plan waits for the end of its target, even if there is none. */
  private void startOrRefuse(String line) {
    try {
      start(plan(line));
    } catch (IOException | RuntimeException e) {
      connection.tell(ChildProcess.FAILED + " " + CommandLines.describe(e));
      connection.tell(AskedSide.GONE + " the plan was refused");
    }
  }

  static Plan plan(String line) {
    List<String> arguments = List.of(line.split(SEPARATOR));
    for (String argument : arguments) {
      if (!ARGUMENT.matcher(argument).matches()) {
        throw new IllegalArgumentException("expected a plan, got something else in it");
      }
    }
    return PerfCommand.planOf(arguments);
  }

  private void start(Plan plan) throws IOException {
    Backends.requireAvailable(plan.backend(), plan.nics());
    Gpus.requireAvailable(plan.device(), false);
    Process process = ChildSide.startJvm(PerfCommand.Side.TARGET, plan.at(connection.localHost()));
    Child child = new Child("target", process);
    abandoned = false;
    target = child;
    child.listen(
        new LineChannel.Listener() {
          @Override
          public void line(String line) {
            connection.tell(line);
          }

          @Override
          public void ended() {
            gone(child, process);
          }
        });
  }

  /** The process has closed its stdout: it ends, or has. */
  private void gone(Child child, Process process) {
    process.onExit().join();
    target = null;
    failure = abandoned || child.endedWell() ? null : child.ending();
    connection.tell(AskedSide.GONE + " " + child.ending());
  }
}
