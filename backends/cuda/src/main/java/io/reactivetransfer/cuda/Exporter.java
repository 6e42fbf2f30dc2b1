package io.reactivetransfer.cuda;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * A process that has exported memory. Its number alone might be another one's by now, so there are
 * when it began, and the namespace whose numbers these are: in another one nobody knows it by them.
 *
 * @param namespace of processes, as Linux numbers them; 0 if the process could not tell
 * @param pid its number there
 * @param started in ticks of the kernel's clock since the machine began
 */
record Exporter(long namespace, long pid, long started) {

  private static final Path PROCESSES = Path.of("/proc");

  /** How often it is looked whether it is there. */
  private static final Duration PERIOD = Duration.ofMillis(100);

  /** Words behind the name of the program: state, how many threads there are, when it began. */
  private static final int STATE = 0;

  private static final int THREADS = 17;
  private static final int STARTED = 19;

  /** This process. */
  static Exporter here() {
    long own = ProcessHandle.current().pid();
    String[] words = words(PROCESSES, own);
    long started = words.length == 0 ? 0 : Long.parseLong(words[STARTED]);
    return new Exporter(words.length == 0 ? 0 : ownNamespace(), own, started);
  }

  /** 0 where the numbers of {@code /proc} are none, or those of another namespace. */
  private static long ownNamespace() {
    try {
      Path self = Files.readSymbolicLink(PROCESSES.resolve("self"));
      if (!self.toString().equals(Long.toString(ProcessHandle.current().pid()))) {
        return 0;
      }
      String link = Files.readSymbolicLink(PROCESSES.resolve("self/ns/pid")).toString();
      return Long.parseLong(link.substring(link.indexOf('[') + 1, link.indexOf(']')));
    } catch (IOException e) {
      return 0;
    }
  }

  /** Whether it is this process, as far as that one could tell which it is. */
  boolean isHere() {
    return namespace != 0 && equals(here());
  }

  /**
   * Whether this process could see it, if it was there: the numbers are those of its namespace, and
   * processes of other users are not hidden from it, which the first one of all shows.
   */
  boolean isInSight() {
    return namespace != 0
        && namespace == ownNamespace()
        && Files.exists(PROCESSES.resolve("1/stat"));
  }

  /** Whether it has ended, for one that is in sight; also if its parent has not asked how. */
  boolean hasEnded() {
    return hasEnded(PROCESSES);
  }

  /** The same, by the files of this folder. */
  boolean hasEnded(Path processes) {
    String[] words = words(processes, pid);
    if (words.length == 0) { // also where a file too many is open, so that nothing is known
      return Files.notExists(processes.resolve(Long.toString(pid)));
    }
    return Long.parseLong(words[STARTED]) != started
        || words[STATE].equals("X")
        || (words[STATE].equals("Z") && Long.parseLong(words[THREADS]) <= 1); // no other one runs
  }

  /** Completes when it has ended; fails if it is not in sight. Looks where it may block. */
  Mono<Void> ended() {
    return ended(Schedulers.boundedElastic());
  }

  /** The same, on threads of this scheduler, of which it has one for each look only. */
  Mono<Void> ended(Scheduler blocking) {
    return Mono.fromCallable(this::isInSight)
        .subscribeOn(blocking)
        .flatMap(seen -> seen ? untilItHasEnded(blocking) : Mono.error(outOfSight()));
  }

  private Mono<Void> untilItHasEnded(Scheduler blocking) {
    return Mono.fromCallable(this::hasEnded)
        .subscribeOn(blocking)
        .filter(ended -> ended)
        .repeatWhenEmpty(Integer.MAX_VALUE, looks -> looks.delayElements(PERIOD))
        .then();
  }

  private CudaException outOfSight() {
    return new CudaException(
        0,
        "expected a process that can be seen from this one, got process "
            + pid
            + " of another namespace, or processes of other users that are hidden; give both"
            + " containers one namespace of processes, or watch it by other means");
  }

  /** What the kernel says of a process, behind its name; nothing if that cannot be read. */
  private static String[] words(Path processes, long pid) {
    try {
      Path file = processes.resolve(Long.toString(pid)).resolve("stat");
      String line = Files.readString(file, StandardCharsets.ISO_8859_1);
      String[] words = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
      return words.length > STARTED ? words : new String[0];
    } catch (IOException e) {
      return new String[0]; // also if it ends while it is read
    }
  }
}
