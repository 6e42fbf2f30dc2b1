package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.PageList;
import io.reactivetransfer.fuzz.CapturedLog;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Nobody fills the log of another node, and what is left out is counted. */
class LogLimitTest {

  private static final KvLayout LAYOUT = KvLayout.opaque(2, 8, 64);

  private record Line(String text, @Nullable Throwable cause) {}

  private final List<Line> lines = new ArrayList<>();
  private final AtomicLong nanos = new AtomicLong(-5);
  private final LogLimit limit =
      new LogLimit((text, cause) -> lines.add(new Line(text, cause)), nanos::get);

  @Test
  void soManyLinesAtATimeAndThenHowManyWereLeftOut() {
    for (int i = 1; i <= 100; i++) {
      int number = i;
      limit.warn(() -> "line " + number);
    }
    assertThat(lines).hasSize(LogLimit.LINES);
    assertThat(lines.getFirst().text()).isEqualTo("line 1");
    assertThat(lines.getLast().text())
        .isEqualTo("line 8; more lines like this are left out for up to 10 s");
    nanos.addAndGet(LogLimit.PERIOD.toNanos() - 1);
    limit.warn(() -> "left out");
    nanos.addAndGet(1);
    IllegalStateException cause = new IllegalStateException();
    limit.warn(() -> "later", cause);
    limit.warn(() -> "at last");
    assertThat(lines.subList(LogLimit.LINES, lines.size()))
        .containsExactly(
            new Line("later (93 lines like this were left out before)", cause),
            new Line("at last", null));
  }

  @Test
  void whatCannotSayWhatItIsConcernsNobody() {
    limit.warn(() -> {
      throw new IllegalStateException();
    });
    limit.warn(() -> "a line");
    assertThat(lines).extracting(Line::text).containsExactly("a line");
  }

  /** What anybody may send: no message, one of a wrong kind, and one of another version. */
  @Test
  void noPeerFillsTheLog() {
    List<MessageChannel> channels = List.of(KvInbox.REQUESTS, KvInbox.ANSWERS, KvInbox.URGENT);
    byte[] other = KvCodecTest.bytes(new KvMessage.Cancel(7));
    other[0] = KvCodec.VERSION + 1;
    List<ByteBuffer> bad =
        List.of(
            ByteBuffer.wrap(new byte[1]),
            KvCodec.encode(new KvMessage.End(7, KvMessage.Outcome.FAILED, true, 0, "no")),
            ByteBuffer.wrap(KvCodecTest.sealed(other)));
    try (CapturedLog log = new CapturedLog();
        TestNode node = new TestNode("loopback", LAYOUT);
        TestNode flood = new TestNode("loopback", LAYOUT)) {
      node.prefill();
      long began = System.nanoTime();
      for (MessageChannel channel : channels) {
        for (int i = 0; i < 300; i++) {
          for (ByteBuffer message : bad) {
            flood.engine.send(node.seenFrom(flood), channel, message.duplicate()).block(PATIENCE);
          }
        }
      }
      // All of that was read when this is answered.
      KvOrder order =
          KvOrder.into(node.seenFrom(flood), PageList.of(0), () -> {}).deadline(PATIENCE).build();
      KvDecode decode = flood.cache().decode("another model", flood.memory);
      HandOverFixture.failureOf(decode.receive(order, TestNode.KEPT).toFuture());
      // A machine that is busy may take more than one period for that.
      long periods = 1 + (System.nanoTime() - began) / LogLimit.PERIOD.toNanos();
      assertThat(log.lines("loopback"))
          .isNotEmpty()
          .hasSizeLessThanOrEqualTo((int) periods * 4 * LogLimit.LINES);
    }
  }
}
