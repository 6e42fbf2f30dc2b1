package io.reactivetransfer.weights.codec;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Place;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Tensor;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/**
 * Reads fields from bytes that may be anything. Every count is checked against what is left before
 * memory is taken for it; every error says what was expected and what came.
 */
final class FormReader {

  private static final int HEADER_BYTES = 2;
  private static final int CHECKSUM_BYTES = Integer.BYTES;

  /** By kind. */
  private static final String[] KINDS = {
    "nothing known",
    "a routing table",
    "a source rank",
    "a target rank",
    "the part of a routing table that one rank needs"
  };

  private final ByteBuffer in;
  private final String what;
  private final int kind;

  /**
   * Checks the frame.
   *
   * @param kind what it should be
   * @param others what it may be as well
   */
  FormReader(ByteBuffer bytes, int kind, int... others) {
    in = Objects.requireNonNull(bytes, "bytes").slice().asReadOnlyBuffer();
    what = KINDS[kind];
    int length = in.remaining();
    if (length < HEADER_BYTES + CHECKSUM_BYTES) {
      throw bad(HEADER_BYTES + CHECKSUM_BYTES + " bytes or more", length + " (truncated?)");
    }
    int version = Byte.toUnsignedInt(in.get());
    if (version != WeightsCodec.VERSION) {
      throw bad(
          "version " + WeightsCodec.VERSION,
          "version " + version + "; let all ranks run the same release");
    }
    int end = length - CHECKSUM_BYTES;
    CRC32C checksum = new CRC32C();
    checksum.update(in.slice(0, end));
    if (in.getInt(end) != (int) checksum.getValue()) {
      throw bad("a matching checksum", "another one (truncated or damaged?)");
    }
    int got = Byte.toUnsignedInt(in.get());
    if (got != kind && IntStream.of(others).noneMatch(other -> other == got)) {
      throw bad(what, KINDS[got < KINDS.length ? got : 0]);
    }
    in.limit(end);
    this.kind = got;
  }

  /** What the frame says that it is. */
  int kind() {
    return kind;
  }

  int u8(String field, int min, int max) {
    need(field);
    return (int) within(field, Byte.toUnsignedInt(in.get()), min, max);
  }

  boolean flag(String field) {
    return u8(field, 0, 1) == 1;
  }

  /** A number of 0 or more; written in no more bytes than it needs. */
  long number(String field) {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE - 1; shift += 7) {
      need(field);
      byte next = in.get();
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        if (next == 0 && shift > 0) {
          throw bad(field + " in as few bytes as it needs", "more");
        }
        return value;
      }
    }
    throw bad(field + " in at most 9 bytes", "more");
  }

  int number(String field, int min, int max) {
    return (int) within(field, number(field), min, max);
  }

  /** How many things follow that are at least so long each. */
  int count(String field, int min, int bytesOfEach) {
    return number("number of " + field, min, in.remaining() / bytesOfEach);
  }

  long[] numbers(String field, int count) {
    long[] values = new long[count];
    for (int i = 0; i < count; i++) {
      values[i] = number(field);
    }
    return values;
  }

  /** A name, preceded by its length. What may be in it, its owner checks. */
  String name(String field) {
    int length = u8("length of the name of a " + field, 1, 255);
    if (in.remaining() < length) {
      throw bad(length + " bytes of the name of a " + field, in.remaining() + " (truncated?)");
    }
    ByteBuffer utf8 = in.slice(in.position(), length);
    in.position(in.position() + length);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
    } catch (CharacterCodingException e) {
      throw bad("UTF-8 as the name of a " + field, "bytes that are something else");
    }
  }

  DataType type() {
    return FormWriter.TYPES.get(u8("type", 0, FormWriter.TYPES.size() - 1));
  }

  Shape shape() {
    int dimensions = u8("dimensions", 0, Shape.MAX_DIMENSIONS);
    return Shape.of(numbers("size", dimensions));
  }

  Tensor tensor() {
    return new Tensor(name("tensor"), type(), shape());
  }

  Box box(int dimensions) {
    return Box.of(numbers("start", dimensions), numbers("size", dimensions));
  }

  Place place(int dimensions) {
    int region = number("region", 0, Integer.MAX_VALUE);
    return Place.of(region, number("offset"), numbers("stride", dimensions));
  }

  /** What a value type refuses is a format error here. */
  <T> T checked(Supplier<T> value) {
    try {
      return value.get();
    } catch (WeightsFormatException e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw new WeightsFormatException("not " + what + ": " + e.getMessage());
    }
  }

  void end() {
    if (in.hasRemaining()) {
      throw bad("no bytes behind the last field", in.remaining() + " of them");
    }
  }

  WeightsFormatException bad(String expected, String got) {
    return new WeightsFormatException("not " + what + ": expected " + expected + ", got " + got);
  }

  private long within(String field, long value, long min, long max) {
    if (value < min || value > max) {
      throw bad(min + " to " + max + " as " + field, String.valueOf(value));
    }
    return value;
  }

  private void need(String field) {
    if (!in.hasRemaining()) {
      throw bad("a byte of " + field, "none (truncated?)");
    }
  }
}
