package io.reactivetransfer.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.HostPort;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeTest {

  private static final HostPort ADDRESS = new HostPort("10.0.0.7", 7400);

  @ParameterizedTest
  @ValueSource(strings = {"a", "decode-0.decode.ns.svc:7400", "[fd00::7]:7400", "A_9"})
  void namesMayBeOfHostsAndPorts(String name) {
    assertThat(Node.of(name, "decode", ADDRESS).name()).isEqualTo(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a/b", "a b", "ä", "a\n", "a="})
  void otherNamesAreRefused(String name) {
    assertThatThrownBy(() -> Node.of(name, "decode", ADDRESS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "expected a name of 1 to 260 letters and digits of US-ASCII, or . _")
        .hasMessageContaining("got '")
        .message()
        .matches("[\\x20-\\x7e]+");
  }

  @Test
  void lengthsAreBounded() {
    assertThat(Node.of("a".repeat(260), "r".repeat(63), ADDRESS)).isNotNull();
    assertThatThrownBy(() -> Node.of("a".repeat(261), "r", ADDRESS))
        .hasMessageEndingWith("...' of 261 letters");
    assertThatThrownBy(() -> Node.of("a", "r".repeat(64), ADDRESS))
        .hasMessageStartingWith("expected a role of 1 to 63 ");
    Node node = Node.of("a", "r", ADDRESS);
    assertThat(node.withLabel("k".repeat(63), "v".repeat(256)).labels()).hasSize(1);
    assertThatThrownBy(() -> node.withLabel("k".repeat(64), ""))
        .hasMessageStartingWith("expected a key of a label of a ");
    assertThatThrownBy(() -> node.withLabel("k", "v".repeat(257)))
        .hasMessageStartingWith("expected the value of the label k of a ");
    assertThatThrownBy(() -> node.withLabel("k", "line\nline"))
        .hasMessageContaining("printable letters of US-ASCII, got 'line?line'");
  }

  @Test
  void labelsAreBoundedInNumber() {
    Map<String, String> most =
        IntStream.range(0, 32)
            .boxed()
            .collect(Collectors.toMap(number -> "key-" + number, number -> "" + number));
    Node node = new Node("a", "r", ADDRESS, most);
    assertThat(node.label("key-31")).isEqualTo("31");
    assertThat(node.label("key-32")).isNull();
    assertThatThrownBy(() -> node.withLabel("one/more", ""))
        .hasMessage("expected at most 32 labels of a, got 33");
  }

  @Test
  void labelsAreCopied() {
    Map<String, String> labels = new HashMap<>(Map.of("model", "llama 3"));
    Node node = new Node("a", "r", ADDRESS, labels);
    labels.put("model", "other");
    assertThat(node.label("model")).isEqualTo("llama 3");
    assertThatThrownBy(() -> node.labels().put("rank", "1"))
        .isInstanceOf(UnsupportedOperationException.class);
  }
}
