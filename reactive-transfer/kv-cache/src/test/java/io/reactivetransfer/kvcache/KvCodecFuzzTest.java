package io.reactivetransfer.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.PageList;
import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;
import io.reactivetransfer.fuzz.Target;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bytes of any kind are read as what they say, or refused; nothing else. */
@Timeout(7_200)
class KvCodecFuzzTest {

  private static final List<byte[]> ORIGINALS =
      KvCodecTest.messages().map(KvCodecTest::bytes).toList();

  @Test
  void messages() {
    Fuzz.run(Target.KV_MESSAGES, KvCodecFuzzTest::check);
  }

  private static void check(Input in) {
    byte[] original = in.oneOf(ORIGINALS);
    byte[] mutated = Mutation.some(in, original);
    byte[] bytes = in.chance(85) ? KvCodecTest.sealed(mutated) : mutated;
    in.note(() -> HexFormat.of().formatHex(bytes));
    KvMessage message;
    try {
      message = KvCodec.decode(ByteBuffer.wrap(bytes));
    } catch (KvFormatException e) {
      assertThat(Arrays.equals(bytes, original)).as("refuses what was written: %s", e).isFalse();
      assertThat(e).hasMessageStartingWith("not a KV-cache message: ");
      return;
    }
    if (message instanceof KvMessage.End end) { // its text may have been made fit to be shown
      assertThat(end.text()).doesNotContainPattern("\\p{C}");
      return;
    }
    assertThat(KvCodecTest.bytes(message)).as("written again").isEqualTo(bytes);
    if (message instanceof KvMessage.Request request) {
      requireSane(request);
    } else if (message instanceof KvMessage.Description description) {
      requireSane(description.layout());
    }
  }

  private static void requireSane(KvMessage.Request request) {
    KvMessage.Target target = request.target();
    KvLayout layout = target.layout();
    requireSane(layout);
    for (int i = 0; i < layout.regions(); i++) {
      assertThat(target.regions().get(i).length()).isGreaterThanOrEqualTo(layout.bytes(i));
    }
    PageList pages = target.pages();
    if (pages != null) {
      assertThat(pages.largest()).isLessThan(layout.pages());
      assertThat(request.span().pages(layout.pageTokens())).isEqualTo(pages.size());
    }
    KvMessage.Tail tail = target.tail();
    if (tail != null) {
      assertThat(tail.offset()).isBetween(0L, tail.region().length());
      assertThat(tail.length()).isBetween(0L, tail.region().length() - tail.offset());
    }
    assertThat(request.deadline()).isPositive();
  }

  /** What a peer says can be asked for its mapping, whatever the numbers are. */
  private static void requireSane(KvLayout layout) {
    for (KvLayout ours : List.of(KvCodecTest.OPAQUE, KvCodecTest.RANK)) {
      try {
        KvMapping mapping = KvMapping.between(ours, layout);
        assertThat(mapping.arrivals(7, 1_000)).isPositive();
        KvMapping.requireCover(layout, List.of(ours));
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageStartingWith("expected ");
      }
    }
    for (int i = 0; i < layout.regions(); i++) {
      assertThat(layout.bytes(i)).isPositive();
    }
  }
}
