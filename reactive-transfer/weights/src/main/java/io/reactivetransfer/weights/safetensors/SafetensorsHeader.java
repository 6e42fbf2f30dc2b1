package io.reactivetransfer.weights.safetensors;

import com.fasterxml.jackson.core.JacksonException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The header of a file: how long it is, and what lies behind it. All of it is checked against the
 * length of the file before anything is read there: the tensors follow each other without gaps, and
 * the last one ends where the file does.
 *
 * @param bytes of the header, with its length in front
 * @param metadata of the whole file
 * @param entries by name, in the order in which they lie
 */
record SafetensorsHeader(
    long bytes, Map<String, String> metadata, Map<String, SafetensorsEntry> entries) {

  /** Longer ones are refused, as others do. */
  static final long MAX_BYTES = 100_000_000;

  /** More than any framework has. */
  private static final int MAX_DIMENSIONS = 64;

  static final String METADATA = "__metadata__";

  private static final ValueLayout.OfLong LENGTH =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /**
   * Reads the header of a file.
   *
   * @param file its name, for errors
   * @param all its bytes
   * @throws SafetensorsFormatException if it is not in the format
   */
  static SafetensorsHeader read(String file, MemorySegment all) {
    long size = all.byteSize();
    if (size < Long.BYTES + 2) { // the length, and {}
      throw bad(file, "10 bytes or more", size + " (truncated?)");
    }
    long length = all.get(LENGTH, 0);
    if (length < 2 || length > MAX_BYTES || length > size - Long.BYTES) {
      throw bad(
          file,
          "a header of 2 to " + Math.min(MAX_BYTES, size - Long.BYTES) + " bytes",
          Long.toUnsignedString(length) + " (truncated?)");
    }
    byte[] json = all.asSlice(Long.BYTES, length).toArray(ValueLayout.JAVA_BYTE);
    if (json[0] != '{' || json[1] == 0) {
      throw bad(file, "a header in UTF-8 that begins with {", "something else");
    }
    Map<String, String> metadata = new LinkedHashMap<>();
    List<SafetensorsEntry> entries = new ArrayList<>();
    try (StrictJson in = new StrictJson(file, new ByteArrayInputStream(json))) {
      in.document(
          "the header",
          name -> {
            if (name.equals(METADATA)) {
              metadata.putAll(in.strings(METADATA));
            } else {
              entries.add(entry(file, name, in));
            }
          });
    } catch (JacksonException e) {
      throw bad(file, "a header in JSON", shown(String.valueOf(e.getOriginalMessage())));
    } catch (IOException e) {
      throw new UncheckedIOException(e); // cannot be: it reads from memory
    }
    long header = Long.BYTES + length;
    return new SafetensorsHeader(header, metadata, placed(file, entries, size - header));
  }

  private static SafetensorsEntry entry(String file, String name, StrictJson in)
      throws IOException {
    String what = "tensor " + shown(name);
    Map<String, List<Long>> numbers = new HashMap<>();
    List<String> type = new ArrayList<>();
    in.object(
        what,
        field -> {
          switch (field) {
            case "dtype" -> type.add(in.string(what));
            case "shape", "data_offsets" ->
                numbers.put(field, in.numbers(field + " of " + what, MAX_DIMENSIONS));
            default -> throw bad(file, "dtype, shape and data_offsets of " + what, shown(field));
          }
        });
    List<Long> shape = numbers.get("shape");
    List<Long> offsets = numbers.get("data_offsets");
    if (type.isEmpty() || shape == null || offsets == null || offsets.size() != 2) {
      throw bad(file, "dtype, shape and two data_offsets of " + what, "fewer, or more");
    }
    SafetensorsType known = SafetensorsType.named(type.getFirst());
    if (known == null) {
      throw bad(file, "a type of the format for " + what, shown(type.getFirst()));
    }
    long begin = offsets.getFirst();
    long end = offsets.getLast();
    long bits = bits(known, shape);
    if (bits % Byte.SIZE > 0) {
      throw bad(file, "whole bytes of " + what, known + " " + shape);
    }
    long bytes = bits / Byte.SIZE;
    if (bits < 0 || end < begin || end - begin != bytes) {
      throw bad(
          file,
          "data_offsets of " + what + " as far apart as " + known + " " + shape + " is long",
          begin + " and " + end);
    }
    return new SafetensorsEntry(name, known.name(), shape, begin, end);
  }

  /** -1 if they are 2^63 or more, as no file has. */
  private static long bits(SafetensorsType type, List<Long> shape) {
    if (shape.contains(0L)) {
      return 0;
    }
    long bits = type.bits;
    for (long size : shape) {
      if (size > Long.MAX_VALUE / bits) {
        return -1;
      }
      bits *= size;
    }
    return bits;
  }

  private static Map<String, SafetensorsEntry> placed(
      String file, List<SafetensorsEntry> entries, long room) {
    entries.sort(
        Comparator.comparingLong(SafetensorsEntry::begin)
            .thenComparingLong(SafetensorsEntry::end)
            .thenComparing(SafetensorsEntry::name));
    Map<String, SafetensorsEntry> placed = new LinkedHashMap<>();
    long end = 0;
    for (SafetensorsEntry entry : entries) {
      if (entry.begin() != end) {
        throw bad(
            file,
            "tensor " + shown(entry.name()) + " behind the one before, at " + end,
            "it at " + entry.begin() + (entry.begin() < end ? ", where they overlap" : ""));
      }
      end = entry.end();
      placed.put(entry.name(), entry);
      if (end > room) {
        throw bad(
            file,
            "tensor " + shown(entry.name()) + " within the " + room + " bytes behind the header",
            "its end at " + end + " (truncated?)");
      }
    }
    if (end != room) {
      throw bad(file, "tensors for all " + room + " bytes behind the header", "for " + end);
    }
    return placed;
  }

  /** What has no glyph, such as an escape, is replaced. */
  static String shown(String text) {
    String shown = text.replaceAll("[\\p{C}\\p{Zl}\\p{Zp}]", "?");
    return shown.length() > 200 ? shown.substring(0, 200) + "..." : shown;
  }

  private static SafetensorsFormatException bad(String file, String expected, String got) {
    return new SafetensorsFormatException(file + ": expected " + expected + ", got " + got);
  }
}
