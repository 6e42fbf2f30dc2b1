package io.reactivetransfer.tools.soak;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** Finds out whose bytes a wrong word is made of: a stale round's, or another stream's. */
final class Authors {

  private static final int ROUNDS = 200;
  private static final int STREAMS = 64;

  private Authors() {}

  /** What the word at this place of a page is known as, or null. */
  static @Nullable String of(MemorySegment page, long at, Where where, int round) {
    long offset = at / Long.BYTES * Long.BYTES;
    if (offset + Long.BYTES > page.byteSize()) {
      return null;
    }
    long word = page.get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
    for (int stream = 0; stream < STREAMS; stream++) {
      Where author = new Where(where.seed(), where.task(), where.origin(), stream);
      for (int past = Math.max(0, round - ROUNDS); past <= round + 1; past++) {
        String found = inRound(word, offset, author, past);
        if (found != null) {
          return found;
        }
      }
    }
    return null;
  }

  private static @Nullable String inRound(long word, long offset, Where author, int round) {
    long stamp = author.stamp(round);
    for (int page = 0; page < Pages.count(author); page++) {
      long written = Content.mix(stamp + page);
      if (word == Content.word(written, offset / Long.BYTES)) {
        return "of page " + page + " of stream " + author.stream() + " in round " + round;
      }
      if (word == Content.word(Content.mix(~written), offset / Long.BYTES)) {
        return "as the target mended page " + page + " in round " + round;
      }
    }
    return null;
  }
}
