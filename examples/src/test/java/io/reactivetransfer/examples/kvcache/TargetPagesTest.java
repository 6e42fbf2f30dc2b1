package io.reactivetransfer.examples.kvcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Device;
import io.reactivetransfer.PageList;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** "verified" can fail. */
class TargetPagesTest {

  private static final PageList PAGES = PageList.of(8, 0, 3, 5, 1, 2, 7, 6);

  private final Plan plan =
      new Plan(
          "loopback",
          null,
          1,
          Device.HOST,
          new Shape(3, 8, 100),
          null,
          null,
          Duration.ofSeconds(1),
          Duration.ZERO,
          1,
          0,
          false,
          false);
  private Node node;
  private TargetPages target;

  @BeforeEach
  void open() throws IOException {
    node = Node.open(plan, plan.shape().layout());
    target = new TargetPages(node, plan, node.tail);
    target.blank();
    SourcePages.fill(node, PAGES, plan);
  }

  @AfterEach
  void close() {
    node.close();
  }

  @Test
  void whatIsIdenticalPasses() throws IOException {
    target.requireIdentical(PAGES);
    assertThat(target.requireSparesUntouched(PAGES)).isEqualTo(3);
  }

  @Test
  void oneFlippedBitIsFound() {
    MemorySegment page = node.page(2, 5);
    page.set(ValueLayout.JAVA_BYTE, 99, (byte) (page.get(ValueLayout.JAVA_BYTE, 99) ^ 1));
    assertThatThrownBy(() -> target.requireIdentical(PAGES))
        .hasMessage("page 5 of layer 2 is not what was sent");
  }

  @Test
  void pagesInTheWrongOrderAreFound() {
    assertThatThrownBy(() -> target.requireIdentical(PageList.of(0, 8, 3, 5, 1, 2, 7, 6)))
        .isInstanceOf(IOException.class);
  }

  @Test
  void oneByteInASparePageIsFound() {
    node.page(1, 4).set(ValueLayout.JAVA_BYTE, 50, (byte) 0);
    assertThatThrownBy(() -> target.requireSparesUntouched(PAGES))
        .hasMessage("spare page 4 of layer 1 was written to");
  }

  @Test
  void aDamagedTailIsFound() {
    node.tail.setChecksum(7, 0);
    assertThatThrownBy(() -> target.requireIdentical(PAGES)).hasMessage("the tail is damaged");
  }
}
