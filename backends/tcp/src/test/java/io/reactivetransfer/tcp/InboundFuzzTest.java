package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever origins send: what a key allows is written and nothing else, each write is settled once,
 * and who keeps to the protocol does not notice.
 */
@Timeout(7_200)
class InboundFuzzTest {

  private final FuzzNic.Shared shared = new FuzzNic.Shared();

  @Test
  void hostileOrigins() {
    Fuzz.run(Target.TCP_INBOUND, this::run);
  }

  private void run(Input in) {
    boolean large = in.chance(2); // each costs as much as many small ones
    new LinkCase(in, new FuzzNic(shared, in, large), large, false).run();
  }

  /** With a NIC that has a defect. */
  @ParameterizedTest
  @EnumSource
  void findsADefect(InboundSaboteur saboteur) {
    assertThat(
            Fuzz.firstFailure(
                Target.TCP_INBOUND,
                1,
                0,
                2_000,
                in -> new LinkCase(in, saboteur.nic(shared, in), false, false).run()))
        .isPresent();
  }
}
