package io.reactivetransfer.staging;

import io.reactivetransfer.spi.Domain;
import org.jspecify.annotations.Nullable;

/** File descriptors of two NICs as one array, the same for as long as both give the same. */
final class Descriptors {

  private int[] ofMain = Domain.MUST_BE_POLLED;
  private int[] ofSecond = Domain.MUST_BE_POLLED;
  private int @Nullable [] both;

  @SuppressWarnings("ReferenceEquality") // the same array says that nothing has changed
  int[] ofBoth(int[] main, int[] second) {
    if (main.length == 0 || second.length == 0) {
      return Domain.MUST_BE_POLLED;
    }
    int[] known = both;
    if (known == null || ofMain != main || ofSecond != second) {
      known = new int[main.length + second.length];
      System.arraycopy(main, 0, known, 0, main.length);
      System.arraycopy(second, 0, known, main.length, second.length);
      both = known;
      ofMain = main;
      ofSecond = second;
    }
    return known;
  }
}
