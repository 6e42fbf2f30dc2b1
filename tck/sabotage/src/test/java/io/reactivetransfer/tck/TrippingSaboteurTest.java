package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Who trips over itself is not found: the rule has not met its defect. */
class TrippingSaboteurTest {

  @Test
  void aMistakeInASaboteurIsNoDefectThatIsFound() {
    Saboteur tripping = Saboteur.nic("2.7", "looks for what is not there", Trips::new);
    assertThatThrownBy(() ->
            SabotageCheck.brokenRules(tripping, Duration.ofSeconds(1), SabotagedRun.testsOf("2.7")))
        .isInstanceOf(AssertionError.class)
        .hasMessage(
            "expected a defect, got a mistake in the saboteur (its stack is in the log): "
                + "java.lang.NullPointerException");
  }

  /** Its writes are put off until memory is revoked, which this rule does beside them. */
  @Test
  void whatIsPutOffMayBeReleasedMeanwhile() {
    Saboteur late =
        NicSaboteurs.ALL.stream()
            .filter(each -> each.rule().equals("1.3") && each.defect().startsWith("reports a long"))
            .findFirst()
            .orElseThrow();
    assertThat(SabotageCheck.brokenRules(late, SabotageCheck.LONG, SabotagedRun.testsOf("9.4")))
        .isEmpty();
  }

  private static final class Trips extends TrackingDomain {
    Trips(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void arrived(int imm, long bytes, CompletionSink sink) {
      super.arrived(imm, Objects.requireNonNull(out.get(-1L)).op.length(), sink);
    }
  }
}
