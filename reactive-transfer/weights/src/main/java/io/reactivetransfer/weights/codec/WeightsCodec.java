package io.reactivetransfer.weights.codec;

import io.reactivetransfer.weights.SourceRank;
import io.reactivetransfer.weights.TargetRank;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Runs;
import java.nio.ByteBuffer;

/**
 * Tables and descriptions as bytes: one version byte, one byte that says what it is, its fields,
 * and the CRC-32C of all before it. What can be read back is written in one way only, so equal
 * bytes and equal values are the same.
 */
public final class WeightsCodec {

  /** The version that is written, and the only one that is read. */
  public static final int VERSION = 1;

  static final int TABLE = 1;
  static final int SOURCE_RANK = 2;
  static final int TARGET_RANK = 3;
  static final int PART = 4;

  private WeightsCodec() {}

  /** The bytes of a table, or of one rank's part of it. */
  public static ByteBuffer encode(RoutingTable table) {
    FormWriter out = new FormWriter(table.part().isPresent() ? PART : TABLE);
    table.part().ifPresent(out::number);
    TableForm.write(table, out);
    return out.sealed();
  }

  /** The bytes of what a rank of the trainer says of itself. */
  public static ByteBuffer encode(SourceRank rank) {
    FormWriter out = new FormWriter(SOURCE_RANK);
    DescriptionForm.write(rank, out);
    return out.sealed();
  }

  /** The bytes of what an inference rank says of itself. */
  public static ByteBuffer encode(TargetRank rank) {
    FormWriter out = new FormWriter(TARGET_RANK);
    DescriptionForm.write(rank, out);
    return out.sealed();
  }

  /**
   * Reads a table, or one rank's part of it, out of bytes that may be anything. It leads nowhere
   * out of the memory that it describes.
   *
   * @throws WeightsFormatException if they are no table
   */
  public static RoutingTable decodeTable(ByteBuffer bytes) {
    FormReader in = new FormReader(bytes, TABLE, PART);
    int part = in.kind() == PART ? in.number("rank of the part", 0, Runs.MAX_RANKS - 1) : -1;
    RoutingTable table = in.checked(() -> TableForm.read(part, in));
    in.end();
    return table;
  }

  /**
   * Reads what a rank of the trainer says of itself out of bytes that may be anything.
   *
   * @throws WeightsFormatException if they are anything else
   */
  public static SourceRank decodeSourceRank(ByteBuffer bytes) {
    FormReader in = new FormReader(bytes, SOURCE_RANK);
    SourceRank rank = in.checked(() -> DescriptionForm.readSource(in));
    in.end();
    return rank;
  }

  /**
   * Reads what an inference rank says of itself out of bytes that may be anything.
   *
   * @throws WeightsFormatException if they are anything else
   */
  public static TargetRank decodeTargetRank(ByteBuffer bytes) {
    FormReader in = new FormReader(bytes, TARGET_RANK);
    TargetRank rank = in.checked(() -> DescriptionForm.readTarget(in));
    in.end();
    return rank;
  }
}
