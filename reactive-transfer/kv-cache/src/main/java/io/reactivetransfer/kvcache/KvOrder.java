package io.reactivetransfer.kvcache;

import io.reactivetransfer.Access;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import io.reactivetransfer.Peer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * What decode asks prefill for: which pages of its own are to be filled, with which tokens, and by
 * when. An order is used once, because its pages are: build another one to ask again.
 *
 * <p><b>Whose the pages are.</b> They are the caller's until {@link KvDecode#receive} is subscribed
 * to with the order, and again when {@code whenQuiet} runs. In between nobody else may use them,
 * nor the memory of the tail. Pages that were taken for an order that nobody subscribes to, because
 * a cancel came before, stay the caller's to give back; {@link KvDecode#receive(Supplier,
 * Function)} makes the order when it is subscribed to.
 */
public final class KvOrder {

  private static final Logger LOG = Loggers.getLogger(KvOrder.class);

  /** How long an order waits unless it says otherwise. */
  public static final Duration DEFAULT_DEADLINE = Duration.ofSeconds(60);

  private final List<Peer> prefills;
  private final @Nullable PageList pages;
  private final Runnable whenQuiet;
  private final long firstToken;
  private final long tokens;
  private final @Nullable MemorySlice tail;
  private final Duration deadline;
  private final ByteBuffer body;
  private final @Nullable IntConsumer onLayer;
  private final AtomicBoolean used = new AtomicBoolean();

  private KvOrder(Builder builder) {
    this.prefills = List.copyOf(builder.prefills);
    this.pages = builder.pages;
    this.whenQuiet = builder.whenQuiet;
    this.firstToken = builder.firstToken;
    this.tokens = builder.tokens;
    this.tail = builder.tail;
    this.deadline = builder.deadline;
    this.body = builder.body;
    this.onLayer = builder.onLayer;
  }

  /**
   * An order that fills pages.
   *
   * @param prefill who shall compute and write, on another engine; sends the tail, too, if one is
   *     wanted
   * @param pages the pages to fill, the same ones in each layer, in the order of the tokens. That
   *     no other order has them at the same time is the caller's to see to
   * @param whenQuiet runs exactly once, from the subscription on: when nothing can write to the
   *     pages and the tail any more and, if all arrived, the scope of the arrival has ended, or
   *     {@link KvArrival#release()} was called for what was kept. On any thread; must not block
   */
  public static Builder into(Peer prefill, PageList pages, Runnable whenQuiet) {
    return new Builder(prefill, Objects.requireNonNull(pages, "pages"), whenQuiet);
  }

  /**
   * The same for pages of a {@link PagePool}, which go back to it when nothing can write to them.
   */
  public static Builder into(Peer prefill, PageReservation pages) {
    return into(prefill, pages.pages(), pages::release);
  }

  /**
   * An order for a tail alone: the pages are here already.
   *
   * @param whenQuiet as in {@link #into}, for the memory of the tail
   */
  public static Builder tailOnly(Peer prefill, MemorySlice tail, Runnable whenQuiet) {
    return new Builder(prefill, null, whenQuiet).tail(tail);
  }

  /**
   * Which of several prefill nodes that hold the same a target is to ask, so that all are asked
   * alike often: a latent cache, for instance, that each rank of a group has in full.
   *
   * @param replicas the same ones in the same order at each target
   * @param targetRank number of the target, 0 or more
   */
  public static Peer replica(List<Peer> replicas, int targetRank) {
    if (replicas.isEmpty() || targetRank < 0) {
      throw new IllegalArgumentException(
          "expected one or more replicas and a rank of 0 or more, got "
              + replicas.size()
              + " and rank "
              + targetRank);
    }
    return replicas.get(targetRank % replicas.size());
  }

  /** Who shall compute and write; the first one sends the tail. */
  public List<Peer> prefills() {
    return prefills;
  }

  /** The pages to fill; null if only a tail is wanted. */
  public @Nullable PageList pages() {
    return pages;
  }

  /** Where the tail goes; null if none is wanted. */
  public @Nullable MemorySlice tail() {
    return tail;
  }

  /** How long to wait until all has arrived. */
  public Duration deadline() {
    return deadline;
  }

  /** The application's own bytes, such as the prompt. */
  public ByteBuffer body() {
    return body.duplicate();
  }

  @Nullable IntConsumer onLayer() {
    return onLayer;
  }

  boolean use() {
    return used.compareAndSet(false, true);
  }

  /** The pages and the tail are the caller's again. What he throws is logged. */
  void quiet() {
    try {
      whenQuiet.run();
    } catch (Throwable thrown) {
      Bulkhead.said(
          () -> LOG.error("whenQuiet of an {} has thrown, which it must not", this, thrown));
    }
  }

  /** How many pages, a tail or not, and of whom. */
  @Override
  public String toString() {
    return "order of "
        + (pages == null ? "" : pages.size() + " pages" + (tail == null ? "" : " and "))
        + (tail == null ? "" : "a tail")
        + " from "
        + prefills.getFirst().address()
        + (prefills.size() == 1 ? "" : " and " + (prefills.size() - 1) + " more");
  }

  /**
   * The tokens that are wanted; none without pages.
   *
   * @throws IllegalArgumentException if the pages are not those of this layout, or not as many as
   *     the tokens need
   */
  KvSpan spanIn(KvLayout layout) {
    PageList wanted = pages;
    if (wanted == null) {
      return new KvSpan(firstToken, 0);
    }
    if (wanted.largest() >= layout.pages()) {
      throw new IllegalArgumentException(
          "expected pages of 0 to " + (layout.pages() - 1) + ", got " + wanted.largest());
    }
    int pageTokens = layout.pageTokens();
    long room = (long) wanted.size() * pageTokens - firstToken % pageTokens;
    KvSpan span = new KvSpan(firstToken, tokens == 0 ? room : tokens);
    if (span.pages(pageTokens) != wanted.size()) {
      throw new IllegalArgumentException(
          "expected "
              + span.pages(pageTokens)
              + " pages of "
              + pageTokens
              + " tokens for "
              + span
              + ", got "
              + wanted.size());
    }
    return span;
  }

  /** Refuses those that timers or messages cannot hold. */
  static void requireDeadline(Duration deadline) {
    Objects.requireNonNull(deadline, "deadline");
    if (deadline.compareTo(Duration.ofMillis(1)) < 0
        || deadline.compareTo(Duration.ofMillis(Integer.MAX_VALUE)) > 0) {
      throw new IllegalArgumentException("expected a deadline of 1 ms to 24 days, got " + deadline);
    }
  }

  /** Sets what may be left out. */
  public static final class Builder {
    private final Set<Peer> prefills = new LinkedHashSet<>();
    private final @Nullable PageList pages;
    private final Runnable whenQuiet;
    private long firstToken;
    private long tokens;
    private @Nullable MemorySlice tail;
    private Duration deadline = DEFAULT_DEADLINE;
    private ByteBuffer body = ByteBuffer.allocate(0).asReadOnlyBuffer();
    private @Nullable IntConsumer onLayer;

    private Builder(Peer prefill, @Nullable PageList pages, Runnable whenQuiet) {
      this.pages = pages;
      this.whenQuiet = Objects.requireNonNull(whenQuiet, "whenQuiet");
      prefills.add(Objects.requireNonNull(prefill, "prefill"));
    }

    /**
     * Position of the first token that is wanted, 0 unless it is given: what comes before is here
     * already. It may lie within the first page.
     */
    public Builder firstToken(long firstToken) {
      if (firstToken < 0) {
        throw new IllegalArgumentException(
            "expected a first token of 0 or more, got " + firstToken);
      }
      this.firstToken = firstToken;
      return this;
    }

    /**
     * How many tokens from there on, at least 1; as many as the pages hold unless it is given. Not
     * for a tail alone, which has none.
     */
    public Builder tokens(long tokens) {
      if (pages == null) {
        throw new IllegalArgumentException(
            "expected no number of tokens for a tail alone, got " + tokens);
      }
      if (tokens < 1) {
        throw new IllegalArgumentException("expected 1 or more tokens, got " + tokens);
      }
      this.tokens = tokens;
      return this;
    }

    /**
     * Where the tail goes, for instance the last hidden state; none unless it is given.
     *
     * @param tail in a region that is open to remote writes
     */
    public Builder tail(MemorySlice tail) {
      Objects.requireNonNull(tail, "tail");
      if (!tail.region().access().allowsRemoteWrite()) {
        throw new IllegalArgumentException(
            "expected a tail in a region registered with "
                + Access.REMOTE_WRITE
                + ", got "
                + tail.region().access());
      }
      this.tail = tail;
      return this;
    }

    /**
     * How long to wait until all has arrived, 1 ms to 24 days; 60 s unless it is given. What the
     * scope of the arrival does has no bound but its own.
     */
    public Builder deadline(Duration deadline) {
      requireDeadline(deadline);
      this.deadline = Duration.ofMillis(deadline.toMillis());
      return this;
    }

    /**
     * The application's own bytes, such as the prompt: as many as fit into a message beside the
     * page list ({@link io.reactivetransfer.EngineOptions#maxMessageBytes()} of both sides). Empty
     * unless they are given.
     */
    public Builder body(ByteBuffer body) {
      this.body = Objects.requireNonNull(body, "body").slice().asReadOnlyBuffer();
      return this;
    }

    /**
     * More prefill nodes, each of which sends the layers and heads that it has. Together with the
     * first one they must have all that the target's layout has, and nothing twice.
     */
    public Builder from(Peer... more) {
      for (Peer prefill : more) {
        if (!prefills.add(Objects.requireNonNull(prefill, "prefill"))) {
          throw new IllegalArgumentException(
              "expected each prefill node once, got " + prefill.address() + " again");
        }
      }
      return this;
    }

    /**
     * Is told the number of each layer of which all has arrived, in the order in which that becomes
     * so, one at a time and before the arrival, on a thread of the engine's signal scheduler: it
     * must not block. What it throws ends the order. Costs a claim for each layer.
     */
    public Builder onLayer(IntConsumer onLayer) {
      this.onLayer = Objects.requireNonNull(onLayer, "onLayer");
      return this;
    }

    /** The order. */
    public KvOrder build() {
      return new KvOrder(this);
    }
  }
}
