package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KeyTextsTest {

  @Test
  void aShortKeyIsSeenAsANumberToo() {
    assertThat(KeyTexts.of(new byte[] {(byte) 0x92, 0x34, 0x56, 0x78}))
        .contains("2452903544", "-1842063752", "2018915474", "92345678");
  }

  @Test
  void ofALongOneEightBytesAre() {
    byte[] key = {9, 0x12, 0x34, 0x56, 0x78, (byte) 0x9a, 0x12, 0x34, 0x56};
    assertThat(KeyTexts.of(key)).contains(Long.toString(0x123456789a123456L));
  }
}
