package io.reactivetransfer.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.map;

import java.util.Map;

/** What the health of a node says of one thing. */
final class Details {

  private Details() {}

  /** By names. */
  static Map<String, Object> of(Node node, String of) {
    return assertThat(node.health().getDetails().get(of))
        .as(of)
        .asInstanceOf(map(String.class, Object.class))
        .actual();
  }
}
