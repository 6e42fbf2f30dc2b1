package io.reactivetransfer.cuda;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import jcuda.driver.CUstream;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one GPU that wait for a claim, no more than it has queues for: with one more, what
 * else it is given is held up behind a wait, copies of the engine included, which the waits may be
 * for. Seen on an H100. Safe from any thread.
 */
final class WaitingStreams {

  /** How many queues the driver makes for streams of a GPU; read by it when it begins. */
  static final String QUEUES = "CUDA_DEVICE_MAX_CONNECTIONS";

  private static final int USUAL_QUEUES = 8;
  private static final int MOST_QUEUES = 32;

  /** The handle of every thread's own default stream, {@code CU_STREAM_PER_THREAD} of cuda.h. */
  private static final long PER_THREAD = 2;

  private final int queues;

  /** The waits of each, by its address, or by the thread whose default it is. */
  private final Map<Long, Set<Place>> waits = new HashMap<>();

  /** One wait of a stream. */
  static final class Place {

    private final long stream;
    private final BooleanSupplier isOver;

    private Place(long stream, BooleanSupplier isOver) {
      this.stream = stream;
      this.isOver = isOver;
    }

    long stream() {
      return stream;
    }
  }

  private WaitingStreams(int queues) {
    this.queues = queues;
  }

  /**
   * For a GPU of a process with this variable in its environment.
   *
   * @param variable a number from 1 to 32; anything else is 8, or the nearer end
   */
  static WaitingStreams of(@Nullable String variable) {
    try {
      int queues = variable == null ? USUAL_QUEUES : Integer.parseInt(variable.strip());
      return new WaitingStreams(Math.clamp(queues, 1, MOST_QUEUES));
    } catch (NumberFormatException e) {
      return new WaitingStreams(USUAL_QUEUES);
    }
  }

  /**
   * A stream is going to wait, once more if it does already.
   *
   * @param isOver whether the stream goes on, which may be so before anybody has told; asked where
   *     there is no room
   * @return what to end that wait with
   * @throws CudaException if too many others wait
   */
  synchronized Place enter(CUstream stream, BooleanSupplier isOver) {
    long key = keyOf(stream);
    if (isOneTooMany(key)) {
      forgetThoseThatAreOver();
    }
    if (isOneTooMany(key)) {
      throw new CudaException(
          0,
          "expected at most "
              + (queues - 1)
              + " streams of a GPU that wait at once, got one more: it has "
              + queues
              + " queues for streams, and copies need one; wait in fewer streams, or set "
              + QUEUES
              + ", at most "
              + MOST_QUEUES
              + ", before the process begins");
    }
    Place place = new Place(key, isOver);
    waits.computeIfAbsent(key, _ -> new HashSet<>()).add(place);
    return place;
  }

  private boolean isOneTooMany(long key) {
    return !waits.containsKey(key) && waits.size() >= queues - 1;
  }

  private void forgetThoseThatAreOver() {
    for (Set<Place> places : waits.values()) {
      places.removeIf(place -> place.isOver.getAsBoolean());
    }
    waits.values().removeIf(Set::isEmpty);
  }

  /** One handle names as many default streams as there are threads; no address is negative. */
  private static long keyOf(CUstream stream) {
    long address = OwnStream.addressOf(stream);
    return address == PER_THREAD ? -Thread.currentThread().threadId() : address;
  }

  /** One wait of a stream is over, or never came about. */
  synchronized void leave(Place place) {
    Set<Place> places = waits.get(place.stream);
    if (places != null && places.remove(place) && places.isEmpty()) {
      waits.remove(place.stream);
    }
  }
}
