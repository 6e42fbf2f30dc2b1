package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Outcome;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.Write;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Chapter 20: outcomes. */
abstract class OutcomeRules extends RuleGroup {

  OutcomeRules(TransferConformance kit) {
    super(kit);
  }

  @Test
  final void r20_1_theFailureOfOneDoesNotEndTheStream() {
    Valve valve = new Valve().fail(w -> w.number() == 2);
    Duo duo = Duo.open(stage(), 1, valve, options -> options.window(2));
    List<Write> writes = duo.writes(6);
    List<Outcome<Write>> outcomes =
        stage().probe("outcomes", duo.origin().submitEach(Upstream.of(writes))).awaitCompletion();
    assertThat(outcomes).extracting(Outcome::transfer).containsExactlyInAnyOrderElementsOf(writes);
    assertThat(outcomes.stream().filter(outcome -> !outcome.isDone()))
        .singleElement()
        .satisfies(
            outcome -> assertThat(outcome.failure()).isInstanceOf(TransferFailedException.class));
  }

  @Test
  final void r20_2_outcomesFollowDemandAndWindow() {
    Valve valve = new Valve().holdReports(w -> true);
    Duo duo = Duo.open(stage(), 1, valve, options -> options.window(3));
    Upstream<Write> upstream = Upstream.of(duo.writes(10));
    Probe<Outcome<Write>> outcomes =
        stage().probe("outcomes", duo.origin().submitEach(upstream), 2);
    stage().patience().until("2 writes posted", () -> valve.inFlight() == 2);
    outcomes.assertSilent();
    assertThat(upstream.requested()).as("requested at a demand of 2").isEqualTo(2);
    outcomes.request(8);
    stage().patience().until("3 writes posted", () -> valve.inFlight() == 3);
    outcomes.assertSilent();
    assertThat(upstream.requested()).as("requested at a window of 3").isEqualTo(3);
    valve.open();
    assertThat(outcomes.awaitCompletion()).hasSize(10);
  }
}
