package io.reactivetransfer.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.ffm.ffi.Sigaction;
import io.reactivetransfer.ffm.ffi.Signals;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.tck.driver.CCompiler;
import io.reactivetransfer.tck.process.JavaProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class SignalHandlersTest {

  /** Ends the process with this code on the first SIGSEGV or SIGUSR1, as soon as it is loaded. */
  private static final int TAKEN = 86;

  private static final String THIEF =
      """
      #include <signal.h>
      #include <string.h>
      #include <unistd.h>

      static void handle(int signal) { _exit(86); }

      __attribute__((constructor)) static void take(void) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = handle;
        sigaction(SIGSEGV, &action, 0);
        sigaction(SIGUSR1, &action, 0); // of which the JVM makes nothing
      }
      """;

  private static final int EPERM = 1;

  @TempDir private Path directory;

  /** Loads the library; then code that is compiled meets null. In a JVM of its own. */
  public static final class Victim {
    private static int length(String text) {
      return text.length();
    }

    private Victim() {}

    /** With the path of the library, and "restore" or nothing. */
    public static void main(String[] arguments) {
      // compiled before, and without a null in its profile: so that null is checked by a fault
      int sum = 0;
      for (int i = 0; i < 1_000_000; i++) {
        sum += length("text");
      }
      System.out.println("before " + sum);
      SignalHandlers handlers = SignalHandlers.save();
      NativeLibrary.open(arguments[0]);
      List<String> changed = handlers.changed();
      if (arguments.length > 1) {
        handlers.restore(); // before anything else, which could meet null or a collection
        System.out.println("changed " + changed);
        System.out.println("changed " + handlers.changed());
      }
      int caught = 0;
      for (int i = 0; i < 2_000_000; i++) {
        try {
          sum += length(i % 100 == 0 ? null : "text");
        } catch (NullPointerException e) {
          caught++;
        }
      }
      System.out.println("caught " + caught);
    }
  }

  /** In a JVM of its own, which may die, and leaves what it then writes in the directory. */
  private JavaProcess victim(String... arguments) throws IOException {
    List<String> options = List.of("-XX:+UseSerialGC", "-XX:-CreateCoredumpOnCrash");
    return JavaProcess.start(
        JavaProcess.command(options, Victim.class.getName(), arguments)
            .directory(directory.toFile()));
  }

  @Test
  void withoutThemTheFirstNullEndsTheJvm() throws Exception {
    Path thief = CCompiler.library(directory, "thief", THIEF);
    try (JavaProcess victim = victim(thief.toString())) {
      assertThat(victim.exitCode()).isEqualTo(TAKEN);
    }
  }

  @Test
  void restoredTheyCheckForNullAgain() throws Exception {
    Path thief = CCompiler.library(directory, "thief", THIEF);
    try (JavaProcess victim = victim(thief.toString(), "restore")) {
      assertThat(victim.exitCode()).as(victim::stderr).isZero();
      assertThat(victim.stdout().lines())
          .containsExactly(
              "before 4000000", "changed [SIGUSR1, SIGSEGV]", "changed []", "caught 20000");
    }
  }

  @Test
  void nothingHasChangedWhenNothingWasDone() {
    SignalHandlers handlers = SignalHandlers.save();
    assertThat(handlers.changed()).isEmpty();
    handlers.restore();
    assertThat(handlers.changed()).isEmpty();
  }

  @Test
  void namesTheSignalThatCannotBeRead() {
    Signals refusing =
        new Signals() {
          @Override
          public int getSigaction(int signum, Sigaction oldact) {
            return signum == 7 ? -EPERM : 0;
          }

          @Override
          public int setSigaction(int signum, Sigaction act) {
            return 0;
          }
        };
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> SignalHandlers.save(refusing))
        .withMessage("sigaction of SIGBUS failed with EPERM (1)");
  }

  /** Else the one would save what the other one's library has installed. */
  @Test
  void areSavedAndPutBackByOneThreadAtATime() throws InterruptedException {
    AtomicBoolean isUsed = new AtomicBoolean();
    Thread other =
        new Thread(() -> {
          boolean ignored = SignalHandlers.alone(() -> isUsed.getAndSet(true));
        });
    boolean wasUsed =
        SignalHandlers.alone(() -> {
          other.start();
          while (other.getState() != Thread.State.BLOCKED && other.isAlive()) {
            Thread.onSpinWait();
          }
          return isUsed.get();
        });
    assertThat(wasUsed).as("used by another thread meanwhile").isFalse();
    other.join();
    assertThat(isUsed).isTrue();
  }
}
