package io.reactivetransfer.weights.check;

import io.reactivetransfer.weights.internal.MessageReader;
import io.reactivetransfer.weights.internal.MessageWriter;
import io.reactivetransfer.weights.version.UpdateNumber;
import java.nio.ByteBuffer;
import java.util.List;

/** The bytes of messages about sums; docs/weights.md has them as a table. */
final class SumCodec {

  static final int VERSION = 1;

  /** Sums that one rank of the trainer says to one inference rank. */
  static final int MAX_SUMS = 1 << 20;

  /** Bytes of a sum. */
  static final int SUM_BYTES = 2 * Integer.BYTES + 4 * Long.BYTES;

  private static final int SUMS = 1;

  /** Bytes of a tensor without its sums, at least. */
  private static final int TENSOR_BYTES = 2 + Integer.BYTES;

  private SumCodec() {}

  private static final class Writer extends MessageWriter<Writer> {

    Writer() {
      super(VERSION, SUMS);
    }

    @Override
    protected Writer self() {
      return this;
    }
  }

  static ByteBuffer encode(SumMessage message) {
    UpdateNumber update = message.update();
    Writer out = new Writer();
    out.i64(update.round()).i64(update.controller()).i64(update.serial());
    out.name(message.trainer()).i64(message.arrivals());
    out.i32(message.total()).i32(message.first()).i32(message.tensors().size());
    for (SumMessage.OfTensor one : message.tensors()) {
      out.name(one.tensor()).i32(one.sums().size());
      for (SumMessage.Sum sum : one.sums()) {
        out.i32(sum.region()).i64(sum.offset()).i64(sum.rowBytes()).i64(sum.rows());
        out.i64(sum.stride()).i32(sum.crc32c());
      }
    }
    return out.sealed();
  }

  /**
   * Reads a message out of bytes that may be anything.
   *
   * @throws IllegalArgumentException if they are anything else
   */
  static SumMessage decode(ByteBuffer bytes) {
    MessageReader in = new MessageReader(bytes, VERSION);
    in.u8("kind", SUMS, SUMS);
    UpdateNumber update =
        new UpdateNumber(i64(in, "round"), in.i64("controller", Long.MIN_VALUE), i64(in, "serial"));
    String trainer = in.name();
    long arrivals = in.i64("arrivals", 1);
    int total = in.i32("number of all sums", 0, MAX_SUMS);
    int first = in.i32("number of sums before these", 0, total);
    List<SumMessage.OfTensor> tensors =
        in.list(
            "tensors",
            MAX_SUMS,
            TENSOR_BYTES,
            () ->
                new SumMessage.OfTensor(
                    in.name(), in.list("sums", MAX_SUMS, SUM_BYTES, () -> sum(in))));
    in.end();
    SumMessage message = new SumMessage(update, trainer, arrivals, total, first, tensors);
    if (message.count() > total - first) {
      throw in.bad(
          "at most " + (total - first) + " sums behind " + first, String.valueOf(message.count()));
    }
    return message;
  }

  private static long i64(MessageReader in, String field) {
    return in.i64(field, 0);
  }

  private static SumMessage.Sum sum(MessageReader in) {
    SumMessage.Sum sum =
        new SumMessage.Sum(
            in.i32("region", 0, Integer.MAX_VALUE),
            in.i64("offset", 0),
            in.i64("bytes of a row", 1),
            in.i64("rows", 1),
            in.i64("stride", 1),
            in.i32("sum", Integer.MIN_VALUE, Integer.MAX_VALUE));
    if (sum.stride() < sum.rowBytes()) {
      throw in.bad("rows of " + sum.rowBytes() + " bytes apart", "a stride of " + sum.stride());
    }
    return sum;
  }
}
