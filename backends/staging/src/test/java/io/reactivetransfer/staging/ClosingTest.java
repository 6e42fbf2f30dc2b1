package io.reactivetransfer.staging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What is left of both NICs when one is closed: nothing. */
class ClosingTest extends TwoNics {

  @Test
  void closingClosesBothNics() {
    connect();
    origin.domain.close();
    assertThat(List.of(origin.main.isClosed, origin.second.isClosed)).containsOnly(true);
  }

  /** Else it would go on taking what peers write. */
  @Test
  void theNicIsClosedWhateverTheOtherOneThrows() {
    connect();
    origin.second.closing = new IllegalStateException("a surprise");
    assertThatThrownBy(origin.domain::close).isSameAs(origin.second.closing);
    assertThat(origin.main.isClosed).isTrue();
    target.second.closing = new AssertionError("another one");
    target.main.closing = new IllegalStateException("and one more");
    assertThatThrownBy(target.domain::close)
        .isSameAs(target.second.closing)
        .hasSuppressedException(target.main.closing);
  }
}
