package io.reactivetransfer.kvcache;

import io.reactivetransfer.Imm;
import io.reactivetransfer.PageList;
import io.reactivetransfer.RegionDescriptor;
import java.nio.ByteBuffer;
import java.time.Duration;

/** What the two sides say to each other; {@link OldCodec} gives it a form. */
sealed interface OldMessage {

  /** Decode's number of the hand-over; unique for its engine. */
  long id();

  /**
   * Decode asks prefill to fill pages.
   *
   * @param imm what each page and the tail is counted under
   * @param layout where decode's pages lie in {@code memory}
   * @param pages the same ones in each layer
   * @param tail where the tail goes
   * @param deadline how long decode will wait, from now on
   * @param body the application's own: the prompt, for instance
   */
  record Request(
      long id,
      Imm imm,
      OldLayout layout,
      RegionDescriptor memory,
      PageList pages,
      Tail tail,
      Duration deadline,
      ByteBuffer body)
      implements OldMessage {

    /** Keeps a view of its own. */
    public Request {
      body = body.slice().asReadOnlyBuffer();
    }

    @Override
    public ByteBuffer body() {
      return body.duplicate();
    }
  }

  /** A part of decode's memory. */
  record Tail(RegionDescriptor region, long offset, long length) {}

  /** Decode does not want it any more. Answered by an {@link End}, always. */
  record Cancel(long id) implements OldMessage {}

  /**
   * Prefill says that it has stopped. A hand-over that succeeds ends without this message.
   *
   * @param outcome why
   * @param quiet whether nothing of it can change decode's memory any more
   * @param arrivals how many arrivals were or will be counted in all, or {@link #UNKNOWN}
   * @param text for people
   */
  record End(long id, Outcome outcome, boolean quiet, long arrivals, String text)
      implements OldMessage {

    static final long UNKNOWN = -1;
    static final int MAX_TEXT_BYTES = 512;
  }

  /** Why prefill has stopped. */
  enum Outcome {
    REFUSED(1),
    CANCELLED(2),
    FAILED(3),
    /** Prefill knows no such hand-over: it never got the request, or everything has gone out. */
    NOT_RUNNING(4);

    /** How a message encodes it. */
    final int code;

    Outcome(int code) {
      this.code = code;
    }

    /**
     * The outcome of a code.
     *
     * @param code 1 to 4
     */
    static Outcome of(int code) {
      return switch (code) {
        case 1 -> REFUSED;
        case 2 -> CANCELLED;
        case 3 -> FAILED;
        case 4 -> NOT_RUNNING;
        default -> throw new IllegalArgumentException("expected an outcome, got " + code);
      };
    }
  }
}
