package io.reactivetransfer.staging;

import io.reactivetransfer.spi.Operation;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Tokens of writes that are posted on behalf of others, beside those of the engine, which may be
 * any 64 bits. Own ones begin with 16 bits that are the same for all; a write of the engine whose
 * token begins so, too, gets an own one for as long as it is out. The lowest 20 bits are an index,
 * so that no two are of one run ({@link Operation#areOfOneRun}) and each is reported by itself.
 */
final class OwnTokens {

  /** As many as fit; no NIC has so many out. */
  static final int MOST = 1 << 20;

  private static final int PREFIX_SHIFT = 48;
  private static final long PREFIX = 0xa57eL;

  private @Nullable Object[] uses = new Object[64];
  private int[] free = new int[64];
  private int freeCount;
  private int made;

  static boolean isOwn(long token) {
    return token >>> PREFIX_SHIFT == PREFIX;
  }

  /** Takes one for this use. */
  long take(Object use) {
    int index = freeCount > 0 ? free[--freeCount] : make();
    uses[index] = use;
    return PREFIX << PREFIX_SHIFT | index;
  }

  private int make() {
    if (made == MOST) {
      throw new IllegalStateException("expected fewer than " + MOST + " writes in flight");
    }
    if (made == uses.length) {
      uses = Arrays.copyOf(uses, 2 * made);
      free = Arrays.copyOf(free, 2 * made);
    }
    return made++;
  }

  /** The use of an own token, which ends; null if it is in no use. */
  @Nullable Object end(long token) {
    int index = (int) token & MOST - 1;
    Object use = index < made ? uses[index] : null;
    if (use != null) {
      uses[index] = null;
      free[freeCount++] = index;
    }
    return use;
  }
}
