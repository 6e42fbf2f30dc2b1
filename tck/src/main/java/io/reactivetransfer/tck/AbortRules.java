package io.reactivetransfer.tck;

import static org.junit.jupiter.api.Assumptions.abort;

import org.junit.jupiter.api.Test;

/** Chapter 8: a failure tells the target. Here so that the gap shows in every report. */
abstract class AbortRules extends RuleGroup {

  AbortRules(TransferConformance kit) {
    super(kit);
  }

  @Test
  final void r8_1_aFailureTellsTheTarget() {
    abort("untested: engines send no abort messages yet");
  }
}
