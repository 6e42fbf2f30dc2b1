package io.reactivetransfer.kvcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.PageList;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PagePoolTest {

  @Test
  void reusesAPageAsLateAsPossible() {
    PagePool pool = PagePool.of(6);
    PageReservation first = pool.reserve(4);
    first.release();
    assertThat(pool.reserve(3).pages().toArray()).containsExactly(4, 5, 0);
  }

  @Test
  void givesOutInTheOrderThatItWasGiven() {
    assertThat(PagePool.of(PageList.of(2, 0, 1)).reserve(3).pages().toArray())
        .containsExactly(2, 0, 1);
  }

  @Test
  void holdsAnySetOfPages() {
    PagePool pool = PagePool.of(PageList.of(40, 7, 1_000_000));
    assertThat(pool.size()).isEqualTo(3);
    PageReservation all = pool.reserve(3);
    assertThat(all.pages().toArray()).containsExactly(40, 7, 1_000_000);
    all.release();
    assertThat(pool.free()).isEqualTo(3);
  }

  @Test
  void takesBackInParts() {
    PagePool pool = PagePool.of(6);
    PageReservation four = pool.reserve(4);
    four.release(PageList.of(1, 3));
    assertThat(pool.free()).isEqualTo(4);
    assertThat(four.left()).isEqualTo(2);
    assertThat(four.isReleased()).isFalse();
    four.release(PageList.of(3, 2));
    assertThat(pool.free()).isEqualTo(5);
    assertThatThrownBy(() -> four.release(PageList.of(0, 4)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected pages of this reservation, got [4]");
    four.release();
    assertThat(pool.free()).isEqualTo(6);
    assertThat(four.isReleased()).isTrue();
    assertThat(pool.reserve(6).pages().toArray()).containsExactly(4, 5, 1, 3, 2, 0);
  }

  @Test
  void saysWhoHasPages() {
    PagePool pool = PagePool.of(4);
    PageReservation one = pool.reserve(1, "request 7");
    pool.reserve(2, "request 8");
    assertThat(pool.held()).containsExactly("request 7 (1 pages)", "request 8 (2 pages)");
    assertThat(pool)
        .hasToString(
            "1 of 4 pages are free; the others have request 7 (1 pages), request 8 (2" + " pages)");
    one.release();
    assertThat(pool.held()).containsExactly("request 8 (2 pages)");
  }

  @Test
  void namesWhoHasLostPages() {
    PagePool pool = PagePool.of(4);
    pool.reserve(3, "request 9"); // and nobody has it
    PageReservation kept = pool.reserve(1, "request 10");
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> {
          System.gc();
          return !pool.leaks().isEmpty();
        });
    assertThat(pool.leaks()).containsExactly("request 9 (3 pages)");
    assertThat(kept.left()).isEqualTo(1);
    assertThat(pool.free()).isZero();
  }

  @Test
  void takesAllOrNone() {
    PagePool pool = PagePool.of(4);
    PageReservation three = pool.reserve(3);
    assertThat(three.left()).isEqualTo(3);
    assertThatThrownBy(() -> pool.reserve(2))
        .isInstanceOfSatisfying(
            PagesExhaustedException.class,
            e -> {
              assertThat(e.requested()).isEqualTo(2);
              assertThat(e.free()).isEqualTo(1);
            })
        .hasMessage(
            "expected 2 free pages, got 1 in a pool of 4; the others have somebody (3 pages)");
    assertThat(pool.free()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
  void refusesToReserveNothing(int pages) {
    assertThatThrownBy(() -> PagePool.of(4).reserve(pages))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void takesAReservationBackOnce() {
    PagePool pool = PagePool.of(4);
    PageReservation reservation = pool.reserve(2);
    reservation.release();
    reservation.release();
    assertThat(reservation.isReleased()).isTrue();
    assertThat(pool.free()).isEqualTo(4);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void neverGivesAPageToTwo(long seed) {
    Random random = new Random(seed);
    PagePool pool = PagePool.of(37);
    BitSet taken = new BitSet();
    List<PageReservation> held = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      if (random.nextBoolean() && pool.free() > 0) {
        PageReservation reservation = pool.reserve(1 + random.nextInt(pool.free()));
        for (int page : reservation.pages().toArray()) {
          assertThat(taken.get(page)).as("seed %d, step %d, page %d", seed, i, page).isFalse();
          taken.set(page);
        }
        held.add(reservation);
      } else if (!held.isEmpty()) {
        PageReservation reservation = held.remove(random.nextInt(held.size()));
        for (int page : reservation.pages().toArray()) {
          taken.clear(page);
        }
        reservation.release();
      }
      assertThat(pool.free()).isEqualTo(37 - taken.cardinality());
    }
  }

  @Test
  void keepsCountWithManyThreads() throws Exception {
    PagePool pool = PagePool.of(16);
    Callable<Void> worker =
        () -> {
          for (int i = 0; i < 2_000; i++) {
            pool.reserve(4).release();
          }
          return null;
        };
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      for (Future<Void> done : threads.invokeAll(List.of(worker, worker, worker, worker))) {
        done.get();
      }
    }
    assertThat(pool.reserve(16).pages().toArray()).doesNotHaveDuplicates();
  }
}
