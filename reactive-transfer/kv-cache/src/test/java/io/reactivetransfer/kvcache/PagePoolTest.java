package io.reactivetransfer.kvcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.PageList;
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
    assertThat(PagePool.inOrder(PageList.of(2, 0, 1)).reserve(3).pages().toArray())
        .containsExactly(2, 0, 1);
  }

  @Test
  void refusesAnOrderWithHoles() {
    assertThatThrownBy(() -> PagePool.inOrder(PageList.of(0, 3)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected the pages 0 to 1, got one of 3");
  }

  @Test
  void takesAllOrNone() {
    PagePool pool = PagePool.of(4);
    pool.reserve(3);
    assertThatThrownBy(() -> pool.reserve(2))
        .isInstanceOfSatisfying(
            PagesExhaustedException.class,
            e -> {
              assertThat(e.requested()).isEqualTo(2);
              assertThat(e.free()).isEqualTo(1);
            })
        .hasMessage("expected 2 free pages, got 1 in a pool of 4");
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
