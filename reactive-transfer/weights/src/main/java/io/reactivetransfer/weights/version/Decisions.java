package io.reactivetransfer.weights.version;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a controller has decided, for ranks that ask. */
final class Decisions {

  /** How an update ends at those who wait for its end. */
  enum End {
    COMMIT,
    ABORT,
    DISCARD
  }

  /** What one rank can say of an update. */
  enum Answer {
    FLIPPED,
    VOTED,
    /** It has not voted, and will not. */
    NOT_VOTED,
    FORGOTTEN,
    /** It does not live any more. */
    DEAD,
    /** It was not heard. */
    UNKNOWN
  }

  /** Updates that are remembered; ranks that ask for others need a recovery. */
  private static final int MAX = 256;

  private final Map<UpdateNumber, End> ends =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UpdateNumber, End> eldest) {
          return size() > MAX;
        }
      };

  void put(UpdateNumber update, End end) {
    ends.put(update, end);
  }

  @Nullable End of(UpdateNumber update) {
    return ends.get(update);
  }

  void clear() {
    ends.clear();
  }

  /**
   * What another controller has decided, or may have: null if it cannot be known yet. No rank obeys
   * that controller any more once it has answered.
   *
   * <p>It commits only when all have voted, and no voter ends its wait by itself. So one that has
   * not voted means that nobody has flipped, and one that has flipped means that all have voted. If
   * all say that they have voted, either is right; it is always the flip, so that another recovery
   * comes to the same, and what dead ranks did agrees with it.
   */
  static @Nullable End recovered(Collection<Answer> answers) {
    if (answers.contains(Answer.FLIPPED)) {
      return End.COMMIT;
    }
    if (answers.contains(Answer.NOT_VOTED)) {
      return End.ABORT;
    }
    if (answers.contains(Answer.FORGOTTEN)) {
      return End.DISCARD;
    }
    return answers.contains(Answer.UNKNOWN) ? null : End.COMMIT;
  }
}
