package io.reactivetransfer.engine;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All flights of a worker, found by the token that a NIC gives back. Grows up to a bound, reuses
 * its slots, allocates nothing in a steady state.
 */
final class FlightTable {

  /** Above any sensible setting: about 200 MB of flights. */
  static final int MAX_FLIGHTS = 1 << 20;

  private Flight[] flights = newFlights(new Flight[0], 64);
  private int[] free = new int[0];
  private int freeCount;

  FlightTable() {
    growFree(0, flights.length);
  }

  int inUse() {
    return flights.length - freeCount;
  }

  /** Whether so many more fit. */
  boolean hasRoomFor(int count) {
    return MAX_FLIGHTS - inUse() >= count;
  }

  Flight take() {
    if (freeCount == 0) {
      int old = flights.length;
      flights = newFlights(flights, old * 2);
      growFree(old, flights.length);
    }
    return flights[free[--freeCount]];
  }

  void release(Flight flight) {
    flight.end();
    free[freeCount++] = flight.slot;
  }

  /** The flight that this token was given to, or null if it has ended or never was. */
  @Nullable Flight find(long token) {
    int slot = (int) token;
    if (slot < 0 || slot >= flights.length) {
      return null;
    }
    Flight flight = flights[slot];
    return flight.owns(token) ? flight : null;
  }

  /** Visits all flights that are on their way; the visitor may end the one that it is given. */
  void forEach(Consumer<Flight> visitor) {
    if (freeCount == flights.length) {
      return;
    }
    for (Flight flight : flights) {
      if (!flight.isFree()) {
        visitor.accept(flight);
      }
    }
  }

  private void growFree(int from, int to) {
    free = Arrays.copyOf(free, to);
    for (int slot = to - 1; slot >= from; slot--) {
      free[freeCount++] = slot;
    }
  }

  private static Flight[] newFlights(Flight[] old, int size) {
    Flight[] grown = Arrays.copyOf(old, size);
    for (int slot = old.length; slot < size; slot++) {
      grown[slot] = new Flight(slot);
    }
    return grown;
  }
}
