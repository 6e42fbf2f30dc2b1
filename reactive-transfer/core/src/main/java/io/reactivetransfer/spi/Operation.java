package io.reactivetransfer.spi;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What one NIC must do: one operation between memory here and memory of another engine, fully
 * resolved. The engine fills one object again and again; a domain copies what it needs and keeps no
 * reference after {@link Domain#post} has returned.
 */
public final class Operation {

  /**
   * What is done. Others may join; a NIC is given none but those that its {@link
   * Capabilities#operations()} name, so a driver that knows only some of them stays as it is.
   */
  public enum Kind {
    /**
     * The bytes go from the local memory to the remote one, and an immediate along with them if the
     * operation has one. Every NIC can do that.
     */
    WRITE
  }

  /** The bits of a token in which those of one run differ. */
  private static final long NUMBER_IN_RUN = ((1L << 28) - 1) << 20;

  private Kind kind = Kind.WRITE;
  private @Nullable LocalMemory local;
  private @Nullable RemoteMemory remote;
  private long localOffset;
  private long remoteOffset;
  private long length;
  private int rows = 1;

  /** Which rows of the local memory, from {@link #firstListed} on; null if one follows another. */
  private int @Nullable [] list;

  private int firstListed;
  private long localStride;
  private long remoteStride;
  private long token;
  private int imm;
  private boolean hasImm;

  /** A {@link Kind#WRITE}. Made once by the engine, and by tests of a backend. */
  public Operation() {}

  /** What is to be done. */
  public Kind kind() {
    return kind;
  }

  /** The memory here, of a {@link Kind#WRITE} the source; the domain's own object. */
  public LocalMemory local() {
    return set(local);
  }

  /** The memory there, of a {@link Kind#WRITE} the target; the domain's own object. */
  public RemoteMemory remote() {
    return set(remote);
  }

  /** First byte within the local memory. */
  public long localOffset() {
    return localOffset;
  }

  /** First byte within the remote memory. */
  public long remoteOffset() {
    return remoteOffset;
  }

  /** Bytes of all rows together, 0 to {@link Capabilities#maxWriteBytes()}. */
  public long length() {
    return length;
  }

  /**
   * Of how many rows of the same length these bytes consist: 1, which is a range without gaps; or
   * up to {@link Capabilities#maxRows()}, each of 1 byte or more, which do not overlap in the
   * remote memory. In the local one they are as far from each other as the {@link #localStride()}
   * says, or {@linkplain #isGathered() gathered}. An immediate is for all of them.
   */
  public int rows() {
    return rows;
  }

  /** Bytes of a row. */
  public long rowLength() {
    return rows == 1 ? length : length / rows;
  }

  /**
   * Bytes from the beginning of one row to that of the next in the local memory, or, of a
   * {@linkplain #isGathered() gather list}, of what its numbers count.
   */
  public long localStride() {
    return localStride;
  }

  /**
   * Whether the rows lie anywhere in the local memory, in any order, and some of them may be the
   * same: then only {@link #localOffset(int)} says where. A NIC gets up to {@link
   * Capabilities#maxGather()} of them.
   */
  public boolean isGathered() {
    return list != null;
  }

  /** First byte of this row within the local memory, whether rows are listed or not. */
  public long localOffset(int row) {
    Objects.checkIndex(row, rows);
    int[] numbers = list;
    return localOffset + localStride * (numbers == null ? row : numbers[firstListed + row]);
  }

  /** Bytes from the beginning of one row to that of the next in the remote memory. */
  public long remoteStride() {
    return remoteStride;
  }

  /**
   * From the {@link #localOffset()} to the last byte of the last row in the local memory, or, of a
   * gather list, of the row that lies last; {@link Long#MAX_VALUE} if it is more than that.
   */
  public long localExtent() {
    int[] numbers = list;
    if (numbers == null) {
      return rows == 1 ? length : extent(rows - 1L, localStride);
    }
    int last = 0;
    for (int row = 0; row < rows; row++) {
      last = Math.max(last, numbers[firstListed + row]);
    }
    return extent(last, localStride);
  }

  /**
   * From the first byte of the first row to the last byte of the last one in the remote memory;
   * {@link Long#MAX_VALUE} if it is more than that.
   */
  public long remoteExtent() {
    return rows == 1 ? length : extent(rows - 1L, remoteStride);
  }

  private long extent(long strides, long stride) {
    long rowLength = length / rows;
    return strides > 0 && stride > (Long.MAX_VALUE - rowLength) / strides
        ? Long.MAX_VALUE
        : strides * stride + rowLength;
  }

  /**
   * What to report the end with. The 28 bits above the lowest 20 number the operations of one run,
   * see {@link #areOfOneRun}; the others say which run it is.
   */
  public long token() {
    return token;
  }

  /**
   * Whether operations with these tokens are of one run, such as the pages of one transfer: then a
   * NIC may report them together, see {@link CompletionSink#written(long, int)}.
   */
  public static boolean areOfOneRun(long token, long other) {
    return ((token ^ other) & ~NUMBER_IN_RUN) == 0;
  }

  /** Whether the target gets an immediate when the bytes can be read. */
  public boolean hasImm() {
    return hasImm;
  }

  /** The 32 bits of the immediate, if there is one. */
  public int imm() {
    return imm;
  }

  /** Sets what is to be done. */
  public Operation kind(Kind kind) {
    this.kind = kind;
    return this;
  }

  /** Sets both ends. */
  @SuppressWarnings("ReferenceEquality") // the very same objects
  public Operation between(LocalMemory local, RemoteMemory remote) {
    // mostly the same as before, and to write a reference costs more than to look
    if (this.local != local || this.remote != remote) {
      this.local = local;
      this.remote = remote;
    }
    return this;
  }

  /** Sets which bytes: one row. */
  public Operation range(long localOffset, long remoteOffset, long length) {
    this.localOffset = localOffset;
    this.remoteOffset = remoteOffset;
    this.length = length;
    this.rows = 1;
    this.list = null;
    return this;
  }

  /**
   * Divides the bytes of the {@link #range} into rows, of which the first begins where the range
   * does.
   *
   * @param rows how many, at least 1; the length is a multiple of it
   * @param localStride bytes from one row to the next in the local memory, at least 0
   * @param remoteStride the same in the remote memory
   */
  public Operation inRows(int rows, long localStride, long remoteStride) {
    if (rows < 1 || length % rows != 0) {
      throw new IllegalArgumentException(
          "expected rows into which " + length + " bytes can be divided, got " + rows);
    }
    if (localStride < 0 || remoteStride < 0) {
      throw new IllegalArgumentException(
          "expected strides of 0 or more, got " + localStride + " and " + remoteStride);
    }
    this.rows = rows;
    this.list = null;
    this.localStride = localStride;
    this.remoteStride = remoteStride;
    return this;
  }

  /**
   * Divides the bytes of the {@link #range} into rows that are gathered: the first byte of each
   * lies in the local memory at the {@link #localOffset()} and as many strides as its number says.
   *
   * @param list the numbers, each 0 or more; not copied, and as it is until this object is filled
   *     again
   * @param first which of them is that of the first row
   * @param rows how many rows, at least 2, as one is a range; the length is a multiple of it
   * @param localStride bytes that the numbers count, at least 0
   * @param remoteStride bytes from one row to the next in the remote memory, at least 0
   */
  public Operation gathering(int[] list, int first, int rows, long localStride, long remoteStride) {
    if (rows < 2) {
      throw new IllegalArgumentException(
          "expected 2 or more rows to gather, got " + rows + "; one is a range without gaps");
    }
    Objects.checkFromIndexSize(first, rows, list.length);
    inRows(rows, localStride, remoteStride);
    this.list = list;
    this.firstListed = first;
    return this;
  }

  /** Sets the immediate. */
  public Operation withImm(int imm) {
    this.imm = imm;
    this.hasImm = true;
    return this;
  }

  /** Sets that there is no immediate. */
  public Operation withoutImm() {
    this.imm = 0;
    this.hasImm = false;
    return this;
  }

  /** Sets the token. */
  public Operation token(long token) {
    this.token = token;
    return this;
  }

  /** Another object that says the same: for whoever must keep it. */
  public Operation copy() {
    Operation copy =
        new Operation()
            .kind(kind)
            .between(local(), remote())
            .range(localOffset, remoteOffset, length)
            .inRows(rows, localStride, remoteStride)
            .token(token);
    int[] numbers = list;
    if (numbers != null) {
      int[] own = Arrays.copyOfRange(numbers, firstListed, firstListed + rows);
      copy.gathering(own, 0, rows, localStride, remoteStride);
    }
    return hasImm ? copy.withImm(imm) : copy;
  }

  private static <T> T set(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException(
          "expected a filled Operation, got one without local or remote memory");
    }
    return value;
  }
}
