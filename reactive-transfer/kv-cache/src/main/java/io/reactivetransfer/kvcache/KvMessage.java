package io.reactivetransfer.kvcache;

import io.reactivetransfer.Imm;
import io.reactivetransfer.PageList;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.TraceContext;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the two sides say to each other; {@link KvCodec} gives it a form. */
sealed interface KvMessage {

  /** Decode's number of the hand-over or of the question; unique for its engine. */
  long id();

  /**
   * Decode asks prefill how it lays a model out. Answered by a {@link Description}, or by an {@link
   * End} if there is no such model.
   *
   * @param node name of the one who asks
   */
  record Describe(long id, String node, String model) implements KvMessage {

    /** Checks the names. */
    public Describe {
      KvName.require("node", node);
      KvName.require("model", model);
    }
  }

  /**
   * Prefill's answer.
   *
   * @param node name of the one who answers
   * @param layout where its pages of the model lie
   */
  record Description(long id, String node, String model, KvLayout layout) implements KvMessage {

    /** Checks the names. */
    public Description {
      KvName.require("node", node);
      KvName.require("model", model);
    }
  }

  /**
   * Decode asks prefill to fill pages.
   *
   * @param node name of the one who asks
   * @param target where it goes
   * @param imms what it is counted under
   * @param arrivals how often it is counted in all: the units of all layers, and the tail
   * @param layouts {@link KvMapping#checksum()} of what it was counted by
   * @param span which tokens; none if there are no pages
   * @param deadline how long decode will wait, from now on; whole milliseconds
   * @param traceContext what decode's tracer sends along
   * @param body the application's own: the prompt, for instance
   */
  record Request(
      long id,
      String node,
      String model,
      Target target,
      Imms imms,
      long arrivals,
      int layouts,
      KvSpan span,
      Duration deadline,
      TraceContext traceContext,
      ByteBuffer body)
      implements KvMessage {

    private static final Duration LONGEST = Duration.ofMillis(Integer.MAX_VALUE);

    /** Checks that it fits together, and keeps a view of the body of its own. */
    public Request {
      KvName.require("node", node);
      KvName.require("model", model);
      body = body.slice().asReadOnlyBuffer();
      imms.requireFor(target.layout());
      requireMillis(deadline);
      if (arrivals < 1) {
        throw new IllegalArgumentException("expected 1 or more arrivals, got " + arrivals);
      }
      if (target.pages() != null) {
        KvMapping.requirePages("target", target.layout(), span, target.pages());
      } else if (span.tokens() > 0) {
        throw new IllegalArgumentException("expected no tokens without pages, got " + span);
      }
    }

    private static void requireMillis(Duration deadline) {
      if (deadline.isNegative()
          || deadline.compareTo(LONGEST) > 0
          || deadline.toMillis() < 1
          || !deadline.equals(Duration.ofMillis(deadline.toMillis()))) {
        throw new IllegalArgumentException(
            "expected a deadline of 1 ms to 24 days in whole milliseconds, got " + deadline);
      }
    }

    @Override
    public ByteBuffer body() {
      return body.duplicate();
    }
  }

  /**
   * Decode's memory, as far as a request concerns it.
   *
   * @param layout where decode's pages lie in {@code regions}
   * @param regions those of the layout, each at least as long as it says
   * @param pages the pages to be filled; null if only a tail is wanted
   * @param tail where the tail goes; null if none is wanted
   */
  record Target(
      KvLayout layout,
      List<RegionDescriptor> regions,
      @Nullable PageList pages,
      @Nullable Tail tail) {

    /** Checks that it fits together. */
    public Target {
      regions = List.copyOf(regions);
      if (pages == null && tail == null) {
        throw new IllegalArgumentException("expected pages or a tail, got none of them");
      }
      if (regions.size() != layout.regions()) {
        throw new IllegalArgumentException(
            "expected a descriptor for each of "
                + layout.regions()
                + " regions, got "
                + regions.size());
      }
      for (int i = 0; i < regions.size(); i++) {
        if (regions.get(i).length() < layout.bytes(i)) {
          throw new IllegalArgumentException(
              "expected memory of "
                  + layout.bytes(i)
                  + " bytes or more as region "
                  + i
                  + ", got "
                  + regions.get(i).length());
        }
      }
    }
  }

  /**
   * Immediates that follow each other. If it is one, all is counted under it. Otherwise there is
   * one more than the target's layout has layers: one for each, from the first on, and one for the
   * tail.
   *
   * @param base the first one
   * @param count how many
   */
  record Imms(Imm base, int count) {

    /** Checks that all of them are immediates. */
    public Imms {
      if (count < 1 || count > Imm.MAX_VALUE - base.value() + 1) {
        throw new IllegalArgumentException(
            "expected 1 or more immediates of at most "
                + Imm.MAX_VALUE
                + ", got "
                + count
                + " from "
                + base.value()
                + " on");
      }
    }

    /** What the units of a layer of the target are counted under. */
    Imm ofLayer(KvLayout target, int layer) {
      return count == 1 ? base : Imm.of(base.value() + layer - target.firstLayer());
    }

    /** What the tail is counted under. */
    Imm ofTail() {
      return Imm.of(base.value() + count - 1);
    }

    private void requireFor(KvLayout target) {
      if (count != 1 && count != target.layers() + 1) {
        throw new IllegalArgumentException(
            "expected 1 immediate, or one for each of "
                + target.layers()
                + " layers and one for the tail, got "
                + count);
      }
    }
  }

  /** A part of decode's memory. */
  record Tail(RegionDescriptor region, long offset, long length) {

    /** Checks that it lies within the region. */
    public Tail {
      if (offset < 0
          || length < 0
          || offset > region.length()
          || length > region.length() - offset) {
        throw new IllegalArgumentException(
            "expected a tail within "
                + region.length()
                + " bytes, got "
                + length
                + " bytes at "
                + offset);
      }
    }
  }

  /** Decode does not want it any more. Answered by an {@link End}, always. */
  record Cancel(long id) implements KvMessage {}

  /**
   * Prefill says that it has stopped. A hand-over that succeeds ends without this message.
   *
   * @param outcome why
   * @param quiet whether nothing of it can change decode's memory any more
   * @param arrivals how many arrivals were or will be counted in all, or {@link #UNKNOWN}
   * @param text for people
   */
  record End(long id, Outcome outcome, boolean quiet, long arrivals, String text)
      implements KvMessage {

    static final long UNKNOWN = -1;
    static final int MAX_TEXT_BYTES = 512;

    public End {
      Objects.requireNonNull(text, "text");
    }

    /** Whether a write has failed, and so nobody knows how often it was counted. */
    boolean writeFailed() {
      return arrivals == UNKNOWN && (outcome == Outcome.FAILED || outcome == Outcome.DEADLINE);
    }
  }

  /** Why prefill has stopped. */
  enum Outcome {
    REFUSED(1),
    CANCELLED(2),
    FAILED(3),
    /** Everything has gone out; or so many have ended since that prefill does not know. */
    NOT_RUNNING(4),
    /** The time was over that decode gave, or that prefill gives at most. */
    DEADLINE(5);

    /** How a message encodes it. */
    final int code;

    Outcome(int code) {
      this.code = code;
    }

    /**
     * The outcome of a code.
     *
     * @param code 1 to 5
     */
    static Outcome of(int code) {
      return switch (code) {
        case 1 -> REFUSED;
        case 2 -> CANCELLED;
        case 3 -> FAILED;
        case 4 -> NOT_RUNNING;
        case 5 -> DEADLINE;
        default -> throw new IllegalArgumentException("expected an outcome, got " + code);
      };
    }
  }
}
