package io.reactivetransfer.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErrnoTest {

  /** Spread over the table, as the headers of Linux have them. */
  @ParameterizedTest
  @CsvSource({
    "1, EPERM",
    "11, EAGAIN",
    "12, ENOMEM",
    "22, EINVAL",
    "34, ERANGE",
    "35, EDEADLK",
    "40, ELOOP",
    "42, ENOMSG",
    "57, EBADSLT",
    "59, EBFONT",
    "71, EPROTO",
    "88, ENOTSOCK",
    "95, EOPNOTSUPP",
    "104, ECONNRESET",
    "110, ETIMEDOUT",
    "111, ECONNREFUSED",
    "125, ECANCELED",
    "133, EHWPOISON"
  })
  void hasTheNamesOfLinux(int number, String name) {
    assertThat(Errno.name(number)).isEqualTo(name);
    assertThat(Errno.text(number)).isEqualTo(name + " (" + number + ")");
  }

  @Test
  void hasNoNameForOthers() {
    for (int number : new int[] {-22, 0, 41, 58, 134, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      assertThat(Errno.name(number)).isEqualTo("errno " + number);
      assertThat(Errno.text(number)).isEqualTo("errno " + number);
    }
  }
}
