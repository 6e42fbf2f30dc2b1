package io.reactivetransfer.examples.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a scenario has opened is closed, whatever becomes of one part of it. */
class OpenedTest {

  private final List<String> closed = new ArrayList<>();
  private final Opened opened = new Opened();

  private void fail(String what) {
    closed.add(what);
    throw new IllegalStateException(what);
  }

  @Test
  void theLastIsClosedFirstAndEachOfThemOnce() {
    opened.add("one", closed::add);
    opened.add("two", this::fail);
    opened.add("three", this::fail);
    assertThatThrownBy(opened::close)
        .hasMessage("three")
        .satisfies(error -> assertThat(error.getSuppressed()).hasSize(1));
    opened.close();
    assertThat(closed).containsExactly("three", "two", "one");
  }

  @Test
  void theFailureBeforeItIsWhatCounts() {
    opened.add("one", this::fail);
    Exception before = new Exception("before");
    opened.closeAfter(before);
    assertThat(closed).containsExactly("one");
    assertThat(before.getSuppressed()).hasSize(1);
  }
}
