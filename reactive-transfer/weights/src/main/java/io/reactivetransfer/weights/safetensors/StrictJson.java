package io.reactivetransfer.weights.safetensors;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the JSON of headers and indices: each name once, nothing behind it. */
final class StrictJson implements AutoCloseable {

  private static final int MAX_DEPTH = 8;

  /** Bytes of UTF-8 of the longest name. */
  static final int MAX_NAME_BYTES = 50_000;

  /** The longest string, in characters of Java. */
  static final int MAX_STRING = 20_000_000;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNameLength(MAX_NAME_BYTES)
                  .maxStringLength(MAX_STRING)
                  .build())
          .build();

  private final String file;
  private final JsonParser parser;

  /** Reads one field of an object. */
  @FunctionalInterface
  interface Field {
    void read(String name) throws IOException;
  }

  StrictJson(String file, InputStream from) throws IOException {
    this.file = file;
    this.parser = JSON.createParser(from);
  }

  /** The only value there is: an object. */
  void document(String what, Field field) throws IOException {
    next();
    object(what, field);
    if (parser.nextToken() != null) {
      throw bad("nothing behind the JSON of " + what, "more");
    }
  }

  /** The object that begins here; each field must read its value. */
  void object(String what, Field field) throws IOException {
    require(JsonToken.START_OBJECT, what + " as an object");
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      next();
      field.read(name);
    }
  }

  Map<String, String> strings(String what) throws IOException {
    Map<String, String> found = new LinkedHashMap<>();
    object(what, name -> found.put(name, string(what)));
    return found;
  }

  String string(String what) throws IOException {
    require(JsonToken.VALUE_STRING, "strings in " + what);
    return parser.getText();
  }

  /**
   * Whole numbers of 0 or more.
   *
   * @param most how many at most: each takes ten times as much memory as its text
   */
  List<Long> numbers(String what, int most) throws IOException {
    require(JsonToken.START_ARRAY, what + " as an array");
    List<Long> found = new ArrayList<>();
    while (next() != JsonToken.END_ARRAY) {
      boolean fits =
          parser.currentToken() == JsonToken.VALUE_NUMBER_INT
              && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER
              && parser.getLongValue() >= 0;
      if (!fits) {
        throw bad("whole numbers of 0 to 2^63 - 1 in " + what, "something else");
      }
      if (found.size() == most) {
        throw bad("at most " + most + " numbers in " + what, "more");
      }
      found.add(parser.getLongValue());
    }
    return found;
  }

  /** Goes over a value of any kind. */
  void skip() throws IOException {
    parser.skipChildren();
  }

  private JsonToken next() throws IOException {
    JsonToken token = parser.nextToken();
    if (token == null) {
      throw bad("more JSON", "its end (truncated?)");
    }
    return token;
  }

  private void require(JsonToken token, String expected) {
    if (parser.currentToken() != token) {
      throw bad(expected, String.valueOf(parser.currentToken()));
    }
  }

  private SafetensorsFormatException bad(String expected, String got) {
    return new SafetensorsFormatException(file + ": expected " + expected + ", got " + got);
  }

  @Override
  public void close() throws IOException {
    parser.close();
  }
}
