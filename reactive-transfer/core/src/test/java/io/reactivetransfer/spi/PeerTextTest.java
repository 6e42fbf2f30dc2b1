package io.reactivetransfer.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeerTextTest {

  private static String of(String text) {
    return PeerText.of(StandardCharsets.UTF_8.encode(text));
  }

  @Test
  void whatCanBeReadStays() {
    assertThat(of("no such key: 0x1f (größe, 大きさ, 🚀)"))
        .isEqualTo("no such key: 0x1f (größe, 大きさ, 🚀)");
    assertThat(of("")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        0, '\t', '\n', '\r', 0x1b, 0x7f, 0x85, 0x9b, 0xad, 0x61c, 0x200b, 0x200e, 0x2028, 0x2029,
        0x202e, 0x2066, 0xe000, 0xfeff, 0xffff, 0xe0041, 0x10ffff
      })
  void whatSteersOrCannotBeSeenIsReplaced(int codePoint) {
    assertThat(of("a" + Character.toString(codePoint) + "b")).isEqualTo("a?b");
  }

  /** Every one that there is, so that no kind of them was forgotten. */
  @Test
  void nothingElseThatUnicodeCallsOtherOrALinePasses() {
    Pattern unprintable = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");
    for (int codePoint = 0; codePoint <= Character.MAX_CODE_POINT; codePoint++) {
      String text = PeerText.printable(Character.toString(codePoint));
      if (unprintable.matcher(text).find()) {
        fail("U+%X", codePoint);
      }
    }
  }

  @Test
  void aSurrogateAloneIsReplaced() {
    assertThat(PeerText.printable("a\ud83db\udc00")).isEqualTo("a?b?");
  }

  @Test
  void bytesThatAreNoUtf8AreNoError() {
    byte[] bytes = {'a', (byte) 0xff, (byte) 0xc2, 'b', (byte) 0xed, (byte) 0xa0, (byte) 0x80};
    assertThat(PeerText.of(ByteBuffer.wrap(bytes))).startsWith("a\ufffd\ufffdb").hasSizeLessThan(8);
  }

  @Test
  void theLengthIsBoundedAndNoCharacterIsCut() {
    assertThat(of("x".repeat(100_000))).isEqualTo("x".repeat(PeerText.MAX_CHARS));
    assertThat(of("€".repeat(1_000))).isEqualTo("€".repeat(PeerText.MAX_CHARS));
    assertThat(of("x" + "🚀".repeat(1_000))).isEqualTo("x" + "🚀".repeat(99));
    assertThat(of("🚀".repeat(100))).isEqualTo("🚀".repeat(100));
  }

  @Test
  void readsFromThePositionAndLeavesIt() {
    ByteBuffer bytes = StandardCharsets.UTF_8.encode("abc").position(1);
    assertThat(PeerText.of(bytes)).isEqualTo("bc");
    assertThat(bytes.position()).isEqualTo(1);
  }
}
