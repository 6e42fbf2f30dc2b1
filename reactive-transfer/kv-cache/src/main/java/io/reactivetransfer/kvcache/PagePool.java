package io.reactivetransfer.kvcache;

import io.reactivetransfer.PageList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * One way to own pages: knows which of them are free. Gives out those that have been free for
 * longest, so that a page is reused as late as possible; takes them back in parts. Names who has
 * what, and finds what was lost. Safe from any thread, never blocks for long, touches no memory.
 */
public final class PagePool {

  private static final Logger LOG = Loggers.getLogger(PagePool.class);

  /** So many lost reservations are named. */
  private static final int MAX_LEAKS = 1_000;

  /** So many holders are named in an error. */
  private static final int MAX_NAMED = 8;

  /** The free pages: a ring, from {@code first} on. */
  private final int[] ring;

  private int first;
  private int free;
  private final Set<PageHolding> holdings = new LinkedHashSet<>();
  private final List<String> leaks = new ArrayList<>();

  private PagePool(int[] order) {
    this.ring = order;
    this.free = order.length;
  }

  /**
   * A pool of the pages 0 to {@code pages - 1}, given out in this order at first.
   *
   * @param pages at least 1
   */
  public static PagePool of(int pages) {
    if (pages < 1) {
      throw new IllegalArgumentException("expected 1 or more pages, got " + pages);
    }
    return new PagePool(IntStream.range(0, pages).toArray());
  }

  /** A pool of any pages, given out in this order at first. */
  public static PagePool of(PageList pages) {
    return new PagePool(pages.toArray());
  }

  /** How many pages there are. */
  public int size() {
    return ring.length;
  }

  /** How many of them are free. */
  public synchronized int free() {
    return free;
  }

  /** Takes pages out of the pool for nobody in particular; see {@link #reserve(int, String)}. */
  public PageReservation reserve(int pages) {
    return reserve(pages, "somebody");
  }

  /**
   * Takes pages out of the pool, all of them or none.
   *
   * @param pages how many, at least 1
   * @param holder who has them, in words: a request, for instance
   * @throws PagesExhaustedException if fewer are free; says who has the others
   */
  public synchronized PageReservation reserve(int pages, String holder) {
    Objects.requireNonNull(holder, "holder");
    if (pages < 1) {
      throw new IllegalArgumentException("expected to reserve 1 or more pages, got " + pages);
    }
    if (pages > free) {
      throw new PagesExhaustedException(pages, free, ring.length, holders());
    }
    int[] taken = new int[pages];
    for (int i = 0; i < pages; i++) {
      taken[i] = ring[(int) (((long) first + i) % ring.length)];
    }
    // Before they are taken: what there is no memory for must not cost pages.
    PageHolding holding = new PageHolding(this, holder, taken);
    PageReservation reservation = new PageReservation(holding, PageList.of(taken));
    holdings.add(holding);
    first = (int) (((long) first + pages) % ring.length);
    free -= pages;
    return reservation;
  }

  /** Who has pages, and how many, the one who has had them for longest first. */
  public synchronized List<String> held() {
    return holdings.stream().map(PageHolding::toString).toList();
  }

  /**
   * Reservations that nobody can give back any more, because they were dropped: who had them, and
   * how many pages. Found when the garbage collector finds them. Their pages stay out of the pool,
   * since something may still write to them.
   */
  public synchronized List<String> leaks() {
    return List.copyOf(leaks);
  }

  private String holders() {
    if (holdings.isEmpty()) {
      return "";
    }
    String some =
        holdings.stream()
            .limit(MAX_NAMED)
            .map(PageHolding::toString)
            .collect(Collectors.joining(", "));
    int more = holdings.size() - MAX_NAMED;
    return "; the others have " + some + (more > 0 ? " and " + more + " more" : "");
  }

  /** Some pages of a holding are free again. */
  synchronized void giveBack(PageHolding holding, int[] pages) {
    for (int page : pages) {
      ring[(int) (((long) first + free) % ring.length)] = page;
      free++;
    }
    if (holding.isEmpty()) {
      holdings.remove(holding);
    }
  }

  /** A reservation has gone that was not given back. */
  void lost(PageHolding holding) {
    synchronized (this) {
      if (leaks.size() < MAX_LEAKS) {
        leaks.add(holding.toString());
      }
    }
    Bulkhead.said(() -> LOG.error("pages were never given back: {}", holding));
  }

  /** How many there are, and how many are free. */
  @Override
  public synchronized String toString() {
    return free + " of " + ring.length + " pages are free" + holders();
  }

  /** The pages, without those of which is said that they are others. */
  static int[] without(int[] pages, int[] others) {
    int[] sorted = others.clone();
    Arrays.sort(sorted);
    return IntStream.of(pages).filter(page -> Arrays.binarySearch(sorted, page) < 0).toArray();
  }
}
