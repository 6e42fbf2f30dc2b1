package io.reactivetransfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivetransfer.PagedWrite.Rows;
import io.reactivetransfer.PagedWrite.Side;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PagedWriteTest {

  private static final Imm IMM = Imm.of(3);

  private static MemorySlice local(long length) {
    return new FakeRegion(length).whole();
  }

  private static RemoteSlice remote(long length) {
    return new FakeRemote(length).whole();
  }

  @Test
  void keepsItsParts() {
    Side<MemorySlice> source =
        new Side<>(new FakeRegion(10_000).slice(100, 9_000), PageList.of(2, 0), 16);
    Side<RemoteSlice> target =
        new Side<>(new FakeRemote(10_000).slice(7, 9_000), PageList.of(5, 1), 32);
    PagedWrite write = PagedWrite.of(10, source, target, IMM);
    assertThat(write.pages()).isEqualTo(2);
    assertThat(write.pageLength()).isEqualTo(10);
    assertThat(write.length()).isEqualTo(20);
    assertThat(write.source()).isEqualTo(source);
    assertThat(write.target()).isEqualTo(target);
    assertThat(write.imm()).isEqualTo(IMM);
  }

  @Test
  void countsOncePerPage() {
    PageList two = PageList.of(0, 1);
    assertThat(PagedWrite.of(1, local(2), two, remote(2), two, IMM).arrivals()).isEqualTo(2);
    assertThat(PagedWrite.of(1, local(2), two, remote(2), two, null).arrivals()).isZero();
  }

  @Test
  void refusesPagesWithoutBytes() {
    PageList one = PageList.of(0);
    for (long length : new long[] {0, -1, Long.MIN_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> PagedWrite.of(length, local(2), one, remote(2), one, null));
    }
  }

  @Test
  void refusesStridesBelowOne() {
    assertThatIllegalArgumentException().isThrownBy(() -> new Side<>(local(2), PageList.of(0), 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new Side<>(local(2), PageList.of(0), -8));
  }

  @Test
  void refusesListsOfDifferentLengths() {
    assertThatIllegalArgumentException()
        .isThrownBy(() ->
            PagedWrite.of(1, local(9), PageList.of(0, 1), remote(9), PageList.of(0, 1, 2), null));
  }

  @Test
  void refusesTargetPagesThatOverlap() {
    PageList two = PageList.of(0, 1);
    assertThatIllegalArgumentException()
        .isThrownBy(() ->
            PagedWrite.of(
                10, new Side<>(local(100), two, 10), new Side<>(remote(100), two, 9), null));
    // reading the same byte twice harms nobody, and one page overlaps with nothing
    PagedWrite.of(10, new Side<>(local(100), two, 1), new Side<>(remote(100), two, 10), null);
    PageList one = PageList.of(0);
    PagedWrite.of(10, new Side<>(local(100), one, 1), new Side<>(remote(100), one, 1), null);
  }

  @ParameterizedTest
  @CsvSource({
    // length of the slice, largest page, page length, stride; fits by not a byte
    "100, 9, 10, 10, true",
    "99, 9, 10, 10, false",
    "99, 8, 10, 10, true",
    "10, 0, 10, 10, true",
    "9, 0, 10, 10, false",
    "0, 0, 1, 1, false",
    "46, 3, 10, 12, true",
    "45, 3, 10, 12, false",
    "9223372036854775807, 2147483647, 1, 4294967296, true",
    "9223372036854775807, 2147483647, 1, 4294967297, true",
    "9223372036854775807, 2147483647, 1, 4294967299, false",
    "9223372036854775807, 2147483647, 1, 9223372036854775807, false",
    "9223372036854775807, 2, 9223372036854775807, 1, false",
    "9223372036854775807, 0, 9223372036854775807, 9223372036854775807, true",
    "100, 2147483647, 9223372036854775807, 9223372036854775807, false",
    "100, 1, 1, 9223372036854775807, false",
    "100, 2147483647, 10, 9223372036854775807, false"
  })
  void liesWithinItsSlicesWithoutOverflow(
      long length, int page, long pageLength, long stride, boolean fits) {
    PageList pages = PageList.of(page);
    PageList first = PageList.of(0);
    long enough = Long.MAX_VALUE;
    Runnable asSource =
        () ->
            PagedWrite.of(
                pageLength,
                new Side<>(local(length), pages, stride),
                new Side<>(remote(enough), first, 1),
                null);
    Runnable asTarget =
        () ->
            PagedWrite.of(
                pageLength,
                new Side<>(local(enough), first, 1),
                new Side<>(remote(length), pages, stride),
                null);
    if (length == 0) {
      assertThatExceptionOfType(RuntimeException.class).isThrownBy(asSource::run);
    } else if (fits) {
      asSource.run();
      asTarget.run();
    } else {
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(asSource::run)
          .withMessageContaining("source")
          .withMessageContaining("page " + page);
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(asTarget::run)
          .withMessageContaining("target");
    }
  }

  @Test
  void itsLengthDoesNotOverflow() {
    PageList pages = PageList.of(0, 1, 2);
    long third = Long.MAX_VALUE / 3;
    PagedWrite write =
        PagedWrite.of(
            third,
            new Side<>(local(Long.MAX_VALUE), pages, 1),
            new Side<>(remote(Long.MAX_VALUE), pages, third),
            null);
    assertThat(write.length()).isEqualTo(3 * third).isPositive();
  }

  // ---- rows ----

  private static PagedWrite rows(
      Rows rows, long sourceLength, long sourceStride, long targetLength, long targetStride) {
    PageList two = PageList.of(1, 0);
    return PagedWrite.of(
        rows,
        new Side<>(local(sourceLength), two, sourceStride),
        new Side<>(remote(targetLength), two, targetStride),
        IMM);
  }

  @Test
  void aPageOfRowsCountsOnceAndMovesTheBytesOfItsRows() {
    Rows rows = new Rows(4, 10, 16, 12);
    PagedWrite write = rows(rows, 158, 100, 96, 50);
    assertThat(write.rows()).isEqualTo(rows);
    assertThat(write.pageLength()).isEqualTo(40);
    assertThat(write.length()).isEqualTo(80);
    assertThat(write.arrivals()).isEqualTo(2);
    assertThat(write.toString()).contains("2 pages of 40 bytes in 4 rows");
    assertThat(rows.sourceExtent()).isEqualTo(58);
    assertThat(rows.targetExtent()).isEqualTo(46);
  }

  @Test
  void rowsWithoutGapsAreAWholePage() {
    assertThat(rows(new Rows(4, 10, 10, 10), 100, 50, 100, 50).rows()).isNull();
    assertThat(rows(new Rows(1, 40, 7, 9), 100, 50, 100, 50).rows()).isNull();
    assertThat(rows(new Rows(1, 40, 7, 9), 100, 50, 100, 50).pageLength()).isEqualTo(40);
    assertThat(rows(new Rows(4, 10, 10, 11), 100, 50, 100, 50).rows()).isNotNull();
    assertThat(rows(new Rows(4, 10, 11, 10), 100, 50, 100, 50).rows()).isNotNull();
    PageList one = PageList.of(0);
    assertThat(PagedWrite.of(10, local(10), one, remote(10), one, null).rows()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1, 1, 1, 1 or more rows",
    "-1, 1, 1, 1, 1 or more rows",
    "2, 0, 1, 1, 1 or more bytes",
    "2, -5, 1, 1, 1 or more bytes",
    "2, 1, 0, 1, source stride",
    "2, 1, 1, 0, target stride",
    "2, 1, -9, 1, source stride",
    "2, 10, 1, 9, do not overlap",
    "2, 9223372036854775807, 1, 9223372036854775807, 2^63",
    "3, 1, 4611686018427387904, 1, 2^63",
    "3, 1, 1, 4611686018427387904, 2^63",
    "2147483647, 4294967299, 1, 4294967299, 2^63",
  })
  void refusesRowsThatCannotBe(
      int count, long length, long sourceStride, long targetStride, String why) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Rows(count, length, sourceStride, targetStride))
        .withMessageContaining(why);
  }

  @Test
  void theLongestRowsDoNotOverflow() {
    Rows rows = new Rows(3, 1, 4611686018427387903L, 4611686018427387903L);
    assertThat(rows.sourceExtent()).isEqualTo(Long.MAX_VALUE);
    assertThat(rows.targetExtent()).isEqualTo(Long.MAX_VALUE);
    // one source row read again and again harms nobody
    assertThat(new Rows(3, 100, 1, 100).sourceExtent()).isEqualTo(102);
  }

  @Test
  void pagesOfRowsLieWithinTheirSlices() {
    Rows rows = new Rows(4, 10, 16, 12);
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> rows(rows, 157, 100, 96, 50))
        .withMessageContaining("source")
        .withMessageContaining("58 bytes");
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> rows(rows, 158, 100, 95, 50))
        .withMessageContaining("target")
        .withMessageContaining("46 bytes");
    Rows longest = new Rows(3, 1, 4611686018427387903L, 4611686018427387903L);
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> rows(longest, Long.MAX_VALUE, 1, Long.MAX_VALUE, 1))
        .withMessageContaining("source");
  }

  /** Pages may lie between the rows of others: first row 0 of all of them, then row 1. */
  @Test
  void targetPagesOfRowsDoNotOverlap() {
    rows(new Rows(4, 10, 1, 12), 1_000, 1, 1_000, 46); // one page behind the other
    refuses(new Rows(4, 10, 1, 12), 45);
    rows(new Rows(4, 10, 1, 20), 1_000, 1, 1_000, 10); // one between the rows of the other
    refuses(new Rows(4, 10, 1, 19), 10);
    refuses(new Rows(4, 10, 1, 20), 9);
    refuses(new Rows(4, 10, 1, 20), 11);
    PageList one = PageList.of(2);
    PagedWrite.of(
        new Rows(4, 10, 1, 12),
        new Side<>(local(1_000), one, 1),
        new Side<>(remote(1_000), one, 1),
        null);
  }

  private static void refuses(Rows rows, long targetStride) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> rows(rows, 1_000, 1, 1_000, targetStride))
        .withMessageContaining("do not overlap");
  }
}
