package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TurnsTest {

  /** Without a stack trace, since it is logged. */
  private static class Thrown extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Thrown() {
      super("on purpose", null, false, false);
    }
  }

  private final List<String> done = new ArrayList<>();
  private final Turns turns = new Turns(e -> done.add("caught " + e.getMessage()));

  @Test
  void eventsOfEventsComeAfterThemAndSignalsLast() {
    turns.run(() -> {
      turns.afterwards(() -> done.add("signal"));
      turns.run(() -> done.add("inner"));
      done.add("outer");
    });
    assertThat(done).containsExactly("outer", "inner", "signal");
  }

  @Test
  void whatASignalBringsIsDoneAtOnce() {
    turns.run(() -> turns.afterwards(() -> turns.run(() -> done.add("brought"))));
    assertThat(done).containsExactly("brought");
  }

  @Test
  void whatAnEventThrowsIsToldAndHoldsNothingUp() {
    turns.run(() -> {
      turns.run(() -> done.add("next"));
      throw new IllegalStateException("it");
    });
    assertThat(done).containsExactly("caught it", "next");
  }

  @Test
  void whatASubscriberThrowsHoldsNothingUp() {
    turns.run(() -> {
      turns.afterwards(() -> {
        throw new Thrown();
      });
      turns.afterwards(() -> done.add("next"));
    });
    assertThat(done).containsExactly("next");
  }

  /** It may not be possible to log it. */
  @Test
  void whatASubscriberThrowsHoldsNothingUpIfItCannotSayWhatItIs() {
    turns.run(() -> {
      turns.afterwards(() -> {
        throw new Thrown() {
          private static final long serialVersionUID = 1L;

          @Override
          public String getMessage() {
            throw new IllegalStateException("thrown by getMessage()");
          }
        };
      });
      turns.afterwards(() -> done.add("next"));
    });
    assertThat(done).containsExactly("next");
  }

  /**
   * A subscriber that hands over to an executor that is shut down throws just what a refusal is.
   */
  @Test
  void aSignalThatHasThrownIsNotGivenAgainAndOneThatIsRefusedIsGivenHere() {
    Turns turns = new Turns(e -> {});
    AtomicInteger given = new AtomicInteger();
    Runnable throwing =
        () -> {
          given.incrementAndGet();
          throw new RejectedExecutionException("thrown by a subscriber");
        };
    turns.run(() -> turns.afterwards(throwing), Runnable::run);
    assertThat(given).hasValue(1);
    turns.run(
        () -> turns.afterwards(given::incrementAndGet),
        signal -> {
          throw new IllegalStateException("takes none");
        });
    assertThat(given).hasValue(2);
  }
}
