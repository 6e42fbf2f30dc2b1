package io.reactivetransfer.weights.version;

import io.reactivetransfer.Memory;
import java.util.List;

/**
 * A buffer of an inference rank to which all writes of an update have come, and nothing can come
 * any more.
 *
 * @param rank the name of the rank
 * @param update which update
 * @param version what was written
 * @param arrivals how many writes came
 * @param regions the memory, to be read only, and only until what reads it has ended or was
 *     cancelled
 */
public record FilledBuffer(
    String rank, UpdateNumber update, long version, long arrivals, List<Memory> regions) {

  /** Copies the list. */
  public FilledBuffer {
    regions = List.copyOf(regions);
  }
}
