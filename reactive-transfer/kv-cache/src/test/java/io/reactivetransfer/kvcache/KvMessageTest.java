package io.reactivetransfer.kvcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Imm;
import io.reactivetransfer.PageList;
import io.reactivetransfer.TraceContext;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What does not fit together is refused when it is made, and so also when it is read. */
class KvMessageTest {

  private static final KvLayout LAYOUT = KvLayout.contiguous(3, 20, 16, KvPart.whole("k", 8));
  private static final KvMessage.Tail TAIL = new KvMessage.Tail(KvCodecTest.region(100), 0, 100);
  private static final KvMessage.Imms IMMS = new KvMessage.Imms(Imm.of(7), 4);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static KvMessage.Target target(PageList pages) {
    return new KvMessage.Target(LAYOUT, List.of(KvCodecTest.region(LAYOUT.bytes(0))), pages, TAIL);
  }

  private static KvMessage.Request request(
      KvMessage.Imms imms, long arrivals, KvSpan span, Duration deadline) {
    return new KvMessage.Request(
        1,
        "node",
        "model",
        target(PageList.range(0, 2)),
        imms,
        arrivals,
        5,
        span,
        deadline,
        TraceContext.NONE,
        ByteBuffer.allocate(0));
  }

  @Test
  void layersAndTheTailHaveImmediates() {
    assertThat(IMMS.ofLayer(LAYOUT, 0)).isEqualTo(Imm.of(7));
    assertThat(IMMS.ofLayer(LAYOUT, 2)).isEqualTo(Imm.of(9));
    assertThat(IMMS.ofTail()).isEqualTo(Imm.of(10));
    KvMessage.Imms one = new KvMessage.Imms(Imm.of(7), 1);
    assertThat(one.ofLayer(LAYOUT, 2)).isEqualTo(Imm.of(7));
    assertThat(one.ofTail()).isEqualTo(Imm.of(7));
  }

  @Test
  void immediatesThatAreNoneOrDoNotFitTheLayersAreRefused() {
    assertThatThrownBy(() -> new KvMessage.Imms(Imm.of(Imm.MAX_VALUE), 2))
        .hasMessage("expected 1 or more immediates of at most 536870911, got 2 from 536870911 on");
    assertThatThrownBy(() -> new KvMessage.Imms(Imm.of(0), 0)).hasMessageContaining("got 0 from");
    KvMessage.Imms three = new KvMessage.Imms(Imm.of(7), 3);
    assertThatThrownBy(() -> request(three, 3, new KvSpan(0, 32), MINUTE))
        .hasMessage(
            "expected 1 immediate, or one for each of 3 layers and one for the tail, got 3");
  }

  @Test
  void spansThatDoNotFitThePagesAreRefused() {
    assertThat(request(IMMS, 3, new KvSpan(15, 2), MINUTE).span().tokens()).isEqualTo(2);
    assertThatThrownBy(() -> request(IMMS, 3, new KvSpan(0, 33), MINUTE))
        .hasMessage("expected 3 target pages of 16 tokens for tokens 0 to 33 (exclusive), got 2");
    assertThatThrownBy(() -> request(IMMS, 3, new KvSpan(0, 0), MINUTE))
        .hasMessage("expected 1 or more tokens, got none");
    KvMessage.Target tailOnly = target(null);
    assertThatThrownBy(() ->
            new KvMessage.Request(
                1,
                "node",
                "model",
                tailOnly,
                IMMS,
                1,
                5,
                new KvSpan(0, 1),
                MINUTE,
                TraceContext.NONE,
                ByteBuffer.allocate(0)))
        .hasMessage("expected no tokens without pages, got tokens 0 to 1 (exclusive)");
  }

  @Test
  void deadlinesAndCountsThatCannotBeAreRefused() {
    KvSpan span = new KvSpan(0, 32);
    assertThatThrownBy(() -> request(IMMS, 0, span, MINUTE))
        .hasMessage("expected 1 or more arrivals, got 0");
    for (Duration deadline :
        List.of(
            Duration.ZERO,
            Duration.ofMillis(-1),
            Duration.ofNanos(1_500_000),
            Duration.ofMillis(1L << 31),
            Duration.ofSeconds(Long.MAX_VALUE),
            Duration.ofSeconds(Long.MIN_VALUE))) {
      assertThatThrownBy(() -> request(IMMS, 3, span, deadline))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "expected a deadline of 1 ms to 24 days in whole milliseconds, got " + deadline);
    }
  }

  @Test
  void memoryThatIsTooShortIsRefused() {
    long needed = LAYOUT.bytes(0);
    assertThatThrownBy(
            () -> new KvMessage.Target(LAYOUT, List.of(KvCodecTest.region(needed - 1)), null, TAIL))
        .hasMessage("expected memory of 7680 bytes or more as region 0, got 7679");
    assertThatThrownBy(() -> new KvMessage.Target(LAYOUT, List.of(), null, TAIL))
        .hasMessage("expected a descriptor for each of 1 regions, got 0");
    assertThatThrownBy(
            () -> new KvMessage.Target(LAYOUT, List.of(KvCodecTest.region(needed)), null, null))
        .hasMessage("expected pages or a tail, got none of them");
    assertThatThrownBy(() -> new KvMessage.Tail(KvCodecTest.region(100), 1, 100))
        .hasMessage("expected a tail within 100 bytes, got 100 bytes at 1");
    assertThatThrownBy(() -> new KvMessage.Tail(KvCodecTest.region(100), Long.MAX_VALUE, 1))
        .hasMessageStartingWith("expected a tail within 100 bytes");
  }
}
