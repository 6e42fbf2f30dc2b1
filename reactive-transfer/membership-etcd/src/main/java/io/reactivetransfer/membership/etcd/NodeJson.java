package io.reactivetransfer.membership.etcd;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.membership.Node;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a value in etcd says of a node, such as {@code {"role":"decode","address":"10.0.0.7:7400",
 * "labels":{"rank":"3"}}}. The name is in the key. Labels may be missing, and what else is there is
 * passed over, so that a later version may say more.
 */
final class NodeJson {

  /** Some three times what the longest labels come to, each letter of them escaped. */
  static final int MAX_BYTES = 64 * 1024;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(16)
                  .maxStringLength(2 * Node.MAX_VALUE)
                  .maxNameLength(2 * Node.MAX_VALUE)
                  .build())
          .build();

  private NodeJson() {}

  static byte[] write(Node node) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (JsonGenerator json = FACTORY.createGenerator(out)) {
      json.writeStartObject();
      json.writeStringField("role", node.role());
      json.writeStringField("address", node.address().toString());
      json.writeObjectFieldStart("labels");
      for (Map.Entry<String, String> label : node.labels().entrySet()) {
        json.writeStringField(label.getKey(), label.getValue());
      }
      json.writeEndObject();
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory does not fail like this
    }
    return out.toByteArray();
  }

  /**
   * Reads a value.
   *
   * @throws IllegalArgumentException if it is no node, with the reason
   */
  static Node read(String name, byte[] value) {
    if (value.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "expected at most %,d bytes, got %,d".formatted(MAX_BYTES, value.length));
    }
    try (JsonParser json = FACTORY.createParser(value)) {
      Node node = read(name, json);
      if (json.nextToken() != null) {
        throw new IllegalArgumentException("expected one object of JSON, got more behind it");
      }
      return node;
    } catch (IOException e) {
      throw new IllegalArgumentException("expected an object of JSON: " + e.getMessage(), e);
    }
  }

  private static Node read(String name, JsonParser json) throws IOException {
    expect(json.nextToken(), JsonToken.START_OBJECT, "the value");
    String role = null;
    String address = null;
    Map<String, String> labels = Map.of();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String field = json.currentName();
      JsonToken token = json.nextToken();
      switch (field) {
        case "role" -> role = text(json, token, field);
        case "address" -> address = text(json, token, field);
        case "labels" -> labels = labels(json, token);
        default -> json.skipChildren();
      }
    }
    return new Node(
        name, required(role, "role"), HostPort.parse(required(address, "address")), labels);
  }

  private static Map<String, String> labels(JsonParser json, JsonToken begin) throws IOException {
    expect(begin, JsonToken.START_OBJECT, "labels");
    Map<String, String> labels = new HashMap<>();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String key = json.currentName();
      labels.put(key, text(json, json.nextToken(), "each label"));
    }
    return labels;
  }

  private static String text(JsonParser json, @Nullable JsonToken token, String what)
      throws IOException {
    expect(token, JsonToken.VALUE_STRING, what);
    return json.getText();
  }

  private static void expect(@Nullable JsonToken token, JsonToken expected, String what) {
    if (token != expected) {
      throw new IllegalArgumentException(
          "expected %s to be %s, got %s".formatted(what, expected, token));
    }
  }

  private static String required(@Nullable String value, String field) {
    if (value == null) {
      throw new IllegalArgumentException("expected a field " + field + ", got none");
    }
    return value;
  }
}
