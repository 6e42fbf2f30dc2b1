package io.reactivetransfer.membership;

import java.util.Objects;

/** What has become of one node since the subscriber was told of it. */
public sealed interface NodeChange {

  /** The node as it is now, or, if it has left, as it was when the subscriber heard of it last. */
  Node node();

  /**
   * It is there, and the subscriber did not know it.
   *
   * @param node it
   */
  record Joined(Node node) implements NodeChange {

    /** Checks it. */
    public Joined {
      Objects.requireNonNull(node, "node");
    }
  }

  /**
   * It has another role, address or label.
   *
   * @param before as the subscriber knew it
   * @param node as it is, with the same name
   */
  record Changed(Node before, Node node) implements NodeChange {

    /** Checks both. */
    public Changed {
      if (!before.name().equals(node.name())) {
        throw new IllegalArgumentException(
            "expected one node before and after a change, got %s and %s"
                .formatted(before.name(), node.name()));
      }
    }
  }

  /**
   * It is not there any more.
   *
   * @param node as the subscriber knew it
   */
  record Left(Node node) implements NodeChange {

    /** Checks it. */
    public Left {
      Objects.requireNonNull(node, "node");
    }
  }
}
