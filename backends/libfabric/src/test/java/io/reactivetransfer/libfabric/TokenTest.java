package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.spi.BackendException;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TokenTest {

  @Test
  void whatIsEncodedIsDecoded() {
    Token token = new Token(Long.MIN_VALUE, 7);
    assertThat(Token.decode(token.encode())).isEqualTo(token);
  }

  @Test
  void anotherLengthIsRefused() {
    for (int length : new int[] {0, 15, 17, 64}) {
      assertThatExceptionOfType(BackendException.class)
          .isThrownBy(() -> Token.decode(new byte[length]))
          .withMessage("not a key of libfabric memory: expected 16 bytes, got " + length);
    }
  }

  @Test
  void itsTextTellsNothing() {
    assertThat(new Token(4_711, 4_712).toString()).doesNotContain("4711", "4712", "1267");
  }

  @Test
  void noTwoThatAreDrawnAreAlike() {
    RandomKeys random = new RandomKeys();
    Set<Token> drawn = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      drawn.add(random.token());
    }
    assertThat(drawn).hasSize(1_000);
    assertThat(drawn.add(new RandomKeys().token())).isTrue();
  }
}
