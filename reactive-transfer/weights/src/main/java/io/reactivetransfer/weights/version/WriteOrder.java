package io.reactivetransfer.weights.version;

import io.reactivetransfer.TraceContext;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;

/**
 * What trainers are to write, and where.
 *
 * @param update its number, which no other update has
 * @param version the application's name for what is written
 * @param targets one for each rank of the update
 * @param traceContext what the tracer of the controller sends along: whoever carries the order to
 *     another process puts it into the Context of the run there, under the key {@code
 *     TraceContext.class}, so that it becomes a part of the same trace
 */
public record WriteOrder(
    UpdateNumber update, long version, List<RankTarget> targets, TraceContext traceContext) {

  /** Copies the list. */
  public WriteOrder {
    targets = List.copyOf(targets);
    Objects.requireNonNull(traceContext, "traceContext");
  }

  /**
   * The order as a message for a trainer in another process, with a version of its own. It has keys
   * to memory, so treat it as a secret.
   *
   * @throws IllegalArgumentException if it takes more than 16 MiB
   */
  public ByteBuffer toBytes() {
    return VersionCodec.encode(this);
  }

  /**
   * Reads what {@link #toBytes()} wrote.
   *
   * @throws IllegalArgumentException if the bytes are anything else; it says what was expected
   */
  public static WriteOrder fromBytes(ByteBuffer bytes) {
    return VersionCodec.decodeOrder(bytes);
  }

  /** How many targets; no keys. */
  @Override
  public String toString() {
    return "order of update " + update + " for " + targets.size() + " ranks";
  }
}
