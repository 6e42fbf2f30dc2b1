package io.reactivetransfer.membership.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.HostPort;
import io.reactivetransfer.membership.Node;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeJsonTest {

  private static final Node NODE =
      Node.of("decode-0", "decode", new HostPort("fd00::7", 7400))
          .withLabel("rank", "3")
          .withLabel("model", "\"llama\" \\ 3");

  private static Node read(String text) {
    return NodeJson.read("decode-0", text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void whatWasWrittenIsRead() {
    byte[] written = NodeJson.write(NODE);
    assertThat(new String(written, StandardCharsets.UTF_8))
        .isEqualTo(
            """
            {"role":"decode","address":"[fd00::7]:7400",\
            "labels":{"model":"\\"llama\\" \\\\ 3","rank":"3"}}\
            """);
    assertThat(NodeJson.read("decode-0", written)).isEqualTo(NODE);
  }

  @Test
  void theLongestNodeIsRead() {
    Node node = NODE;
    for (int i = 0; node.labels().size() < Node.MAX_LABELS; i++) {
      node = node.withLabel("k".repeat(60) + i, "\"".repeat(Node.MAX_VALUE));
    }
    byte[] written = NodeJson.write(node);
    assertThat(written.length).isLessThan(NodeJson.MAX_BYTES);
    assertThat(NodeJson.read("decode-0", written)).isEqualTo(node);
  }

  @Test
  void whatALaterVersionSaysIsPassedOver() {
    assertThat(read("{\"zone\":{\"a\":[1]},\"address\":\"h:1\",\"role\":\"r\",\"weight\":1}"))
        .isEqualTo(Node.of("decode-0", "r", new HostPort("h", 1)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                                            | expected the value to be START_OBJECT, got null
          []                                            | expected the value to be START_OBJECT
          {                                             | expected an object of JSON
          {"address":"h:1"}                             | expected a field role, got none
          {"role":"r"}                                  | expected a field address, got none
          {"role":1,"address":"h:1"}                    | expected role to be VALUE_STRING, got VALUE_NUMBER_INT
          {"role":"r","address":"h"}                    | expected host:port
          {"role":"r","address":"h:1","labels":[]}      | expected labels to be START_OBJECT
          {"role":"r","address":"h:1","labels":{"a":1}} | expected each label to be VALUE_STRING
          {"role":"r r","address":"h:1"}                | expected a role of 1 to 63
          {"role":"r","role":"s","address":"h:1"}       | expected an object of JSON: Duplicate field 'role'
          {"role":"r","address":"h:1"} {}               | expected one object of JSON, got more behind it
          """)
  void otherValuesAreRefused(String text, String message) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void aValueThatIsTooLongIsNotLookedAt() {
    assertThatThrownBy(() -> read(" ".repeat(NodeJson.MAX_BYTES + 1)))
        .hasMessage("expected at most 65,536 bytes, got 65,537");
    assertThatThrownBy(() -> read("{\"a\":".repeat(20)))
        .hasMessageStartingWith("expected an object of JSON");
  }
}
