package io.reactivetransfer.examples.weights;

import io.reactivetransfer.examples.worker.AskedWorker;
import io.reactivetransfer.weights.version.RankOutcome;
import io.reactivetransfer.weights.version.RankState;
import io.reactivetransfer.weights.version.UpdateResult.Decision;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What an application does when a process was lost within an update: starts another one in its
 * place, has a controller recover if anybody may wait, and brings a rank up that was started anew.
 * Looks whether what the library promises was kept, and fails if it was not.
 */
final class Repair {

  /**
   * Besides its deadline, until an update has ended; what is decided may take as long once more.
   */
  private static final Duration SLACK = Duration.ofSeconds(10);

  /** Until a rank knows whether it serves, once nobody waits any more. */
  private static final Duration SETTLING = Duration.ofSeconds(20);

  /** No version is served. */
  static final long NONE = -1;

  private final Cluster cluster;

  Repair(Cluster cluster) {
    this.cluster = cluster;
  }

  /** How an update has ended that was begun; null if its controller is gone. */
  @Nullable UpdateEnd end(AskedWorker controller, boolean mayBeGone)
      throws IOException, InterruptedException {
    Duration patience = cluster.plan.deadline().multipliedBy(2).plus(SLACK);
    String answer;
    try {
      answer = controller.awaitAnswer(patience);
    } catch (IOException e) {
      if (mayBeGone) {
        return null;
      }
      throw e;
    }
    if (answer == null) {
      throw new IOException("an update has no end within " + patience.toSeconds() + " s");
    }
    return UpdateEnd.of(answer);
  }

  /**
   * Mends what was lost.
   *
   * @param victim what is gone, or null if nothing is
   * @param index which one
   * @param before what was served before the update; {@link #NONE} if nothing was
   * @param within what the update was to bring
   * @param end how it has ended, or null if nobody has said it
   * @return what is served now, everywhere; {@link #NONE} if nothing is
   * @throws IOException if a promise was broken; says which
   */
  long mend(@Nullable Role victim, int index, long before, long within, @Nullable UpdateEnd end)
      throws IOException, InterruptedException {
    if (victim == Role.CONTROLLER) {
      cluster.addController();
    } else if (victim == Role.RANK) {
      cluster.replaceRank(index, before, within);
    } else if (victim == Role.TRAINER) {
      cluster.replaceTrainer(index);
    }
    if (end == null || mayWait(end)) {
      UpdateEnd recovered = cluster.recover();
      if (recovered.decision() != Decision.RECOVERED) {
        throw new IOException("expected a recovery that ends all that waits, got " + recovered);
      }
    }
    long served = served(victim == Role.RANK ? index : -1, before, within, end);
    if (victim == Role.RANK && served != NONE) {
      bringUp(index, served);
    }
    return served;
  }

  /** Whether a rank may wait for a decision that it has not heard. */
  private static boolean mayWait(UpdateEnd end) {
    return (end.decision() != Decision.FLIPPED && end.decision() != Decision.ABORTED)
        || end.ranks().containsValue(RankOutcome.End.UNCONFIRMED);
  }

  private long served(int without, long before, long within, @Nullable UpdateEnd end)
      throws IOException, InterruptedException {
    List<String> states = new ArrayList<>();
    Set<Long> versions = new TreeSet<>();
    for (int i = 0; i < cluster.plan.ranks(); i++) {
      if (i == without) {
        continue;
      }
      String said = cluster.rank(i).answer("settled " + SETTLING.toMillis());
      states.add(Role.RANK.name(i) + " " + said);
      int blank = said.indexOf(' ');
      switch (RankState.valueOf(said.substring(0, blank))) {
        case SERVING -> versions.add(Long.parseLong(said.substring(blank + 1)));
        case EMPTY -> {}
        case TORN -> {
          if (cluster.plan.mode() != Mode.IN_PLACE) {
            throw new IOException("expected no torn rank with two buffers, got " + states);
          }
        }
        default -> throw new IOException("a rank is stuck: " + states);
      }
    }
    if (versions.size() > 1) {
      throw new IOException("two versions are served: " + states + "; " + end);
    }
    long served = versions.isEmpty() ? NONE : versions.iterator().next();
    boolean isKnown = served == before || served == within || served == NONE;
    boolean isAsSaid = served == NONE || end == null || served == said(end, before, within, served);
    if (!isKnown || !isAsSaid) {
      throw new IOException(
          "expected version %d or %d as was said, got %s; %s"
              .formatted(before, within, states, end));
    }
    if (served == NONE
        && cluster.plan.mode() != Mode.IN_PLACE
        && before != NONE
        && !states.isEmpty()) {
      throw new IOException("expected a version to be served, got " + states + "; " + end);
    }
    return served;
  }

  /** What is served if an end is right; anything, if it leaves that open. */
  private static long said(UpdateEnd end, long before, long within, long otherwise) {
    return switch (end.decision()) {
      case FLIPPED -> within;
      case ABORTED -> before;
      default -> otherwise;
    };
  }

  /** A rank that was started anew is filled by an update that names it alone. */
  private void bringUp(int index, long version) throws IOException, InterruptedException {
    cluster.fill(version);
    cluster.beginUpdate(version, Role.RANK.name(index));
    UpdateEnd end = UpdateEnd.of(cluster.controller().awaitAnswer());
    if (!end.isFlippedEverywhere()) {
      throw new IOException(
          "expected %s to be brought up, got %s".formatted(Role.RANK.name(index), end));
    }
  }
}
