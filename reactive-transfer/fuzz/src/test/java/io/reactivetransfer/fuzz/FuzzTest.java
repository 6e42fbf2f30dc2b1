package io.reactivetransfer.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FuzzTest {

  private static final Target TARGET = Target.TCP_SOCKETS;

  @Test
  void theSharesAreAllOfIt() {
    assertThat(Target.shares()).isEqualTo(1_000);
    assertThat(TARGET.cases(10_000_000)).isEqualTo(40_000);
    assertThat(TARGET.cases(1)).isEqualTo(1);
  }

  @Test
  void aSeedGivesTheSameCasesAgain() {
    List<Long> once = new ArrayList<>();
    List<Long> again = new ArrayList<>();
    List<Long> other = new ArrayList<>();
    Fuzz.firstFailure(TARGET, 5, 0, 100, in -> once.add(in.anyLong()));
    Fuzz.firstFailure(TARGET, 5, 0, 100, in -> again.add(in.anyLong()));
    Fuzz.firstFailure(TARGET, 6, 0, 100, in -> other.add(in.anyLong()));
    assertThat(again).isEqualTo(once).doesNotHaveDuplicates();
    assertThat(other).doesNotContainAnyElementsOf(once);
    assertThat(Fuzz.firstFailure(TARGET, 5, 0, 100, in -> check(in.anyLong() != once.get(77))))
        .hasValue(77);
    assertThat(Fuzz.firstFailure(TARGET, 5, 77, 1, in -> check(in.anyLong() != once.get(77))))
        .hasValue(77);
  }

  private static void check(boolean holds) {
    if (!holds) {
      throw new StackOverflowError("too deep");
    }
  }

  @Test
  void aFailureSaysHowToRunItAlone() {
    assertThatThrownBy(() ->
            Fuzz.run(
                TARGET,
                in -> {
                  in.note(() -> "drew a number");
                  check(in.anyLong() == 0);
                }))
        .isInstanceOf(AssertionError.class)
        .hasCauseInstanceOf(StackOverflowError.class)
        .hasMessageContaining("too deep")
        .hasMessageContaining("drew a number")
        .hasMessageContaining("mvn test -pl backends/tcp")
        .hasMessageContaining("-Dreactivetransfer.fuzz.seed=" + Fuzz.seed())
        .hasMessageContaining("-Dreactivetransfer.fuzz.case=");
  }

  @Test
  void mutationsAreShorterLongerAndOfTheSameLength() {
    byte[] bytes = new byte[40];
    Set<Integer> signs = new HashSet<>();
    Fuzz.firstFailure(
        TARGET,
        1,
        0,
        1_000,
        in -> signs.add(Integer.signum(Mutation.some(in, bytes).length - bytes.length)));
    assertThat(signs).containsExactlyInAnyOrder(-1, 0, 1);
    assertThat(bytes).containsOnly(0);
  }
}
