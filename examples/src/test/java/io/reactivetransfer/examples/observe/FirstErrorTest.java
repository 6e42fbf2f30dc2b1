package io.reactivetransfer.examples.observe;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** A scenario whose streams have failed says why, and ends. */
class FirstErrorTest {

  @Test
  void whatHasFailedFirstIsSaid() {
    FirstError errors = new FirstError();
    assertThatCode(errors::check).doesNotThrowAnyException();
    IllegalArgumentException first = new IllegalArgumentException("the first");
    errors.accept(first);
    errors.accept(new IllegalArgumentException("the second"));
    assertThatThrownBy(errors::check)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the first")
        .hasCause(first);
  }
}
