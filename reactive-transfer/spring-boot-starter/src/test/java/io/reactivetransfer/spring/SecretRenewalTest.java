package io.reactivetransfer.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.PeerUnreachableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.health.contributor.Status;

/** Secrets in files that are replaced while engines are open. */
class SecretRenewalTest {

  private static final String OLD = "the old secret of the cluster";
  private static final String NEW = "the new secret of the cluster";

  @TempDir private Path directory;

  /** With a file of its own for its secret, and one for the previous one, which is the same. */
  private Node node(String name, String secret) throws IOException {
    put(name, secret, secret);
    return Node.overTcp(
        "secret-file=" + directory.resolve(name),
        "previous-secret-file=" + directory.resolve(name + ".previous"));
  }

  private void put(String name, String current, String previous) throws IOException {
    put(directory.resolve(name + ".previous"), previous);
    put(directory.resolve(name), current);
  }

  private static void put(Path file, String secret) throws IOException {
    Path beside = Files.writeString(file.resolveSibling("new"), secret);
    Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static void reach(Node from, Node to) {
    from.engine().peer(to.at()).block(Node.PATIENCE);
  }

  private static void requireRefused(Node from, Node to) {
    assertThatThrownBy(() -> reach(from, to))
        .isInstanceOf(PeerUnreachableException.class)
        .hasMessageContaining("another secret");
  }

  private static void readAgain(Node node) {
    node.context.getBean(Engines.class).readSecretsAgain();
  }

  /** Nobody has to say so. */
  @Test
  void filesThatAreReplacedCountForConnectionsThatBegin() throws IOException {
    try (Node target = node("target", OLD);
        Node later = node("later", NEW)) {
      requireRefused(later, target);
      put("target", NEW, NEW);
      await()
          .atMost(SecretRenewal.INTERVAL.plus(Node.PATIENCE))
          .pollInterval(Duration.ofMillis(500)) // each look is a handshake that is refused
          .ignoreExceptionsInstanceOf(PeerUnreachableException.class)
          .untilAsserted(() -> reach(later, target));
      assertThat(later.write(target, "hello")).isEqualTo("hello");
    }
  }

  @Test
  void inTwoRoundsNobodyIsRefused() throws IOException {
    try (Node renewed = node("renewed", OLD)) {
      put("renewed", NEW, OLD);
      readAgain(renewed);
      try (Node old = node("old", OLD);
          Node other = node("other", NEW)) {
        reach(old, renewed);
        reach(renewed, other);
        put("renewed", NEW, NEW);
        readAgain(renewed);
        assertThat(old.write(renewed, "goes on")).isEqualTo("goes on");
      }
      try (Node late = node("late", OLD)) {
        requireRefused(late, renewed);
      }
    }
  }

  /** Which of the rounds a node has, and not a word of what a secret is. */
  @Test
  void healthSaysWhichRoundANodeHas() throws IOException {
    try (Node node = node("node", OLD)) {
      assertThat(secrets(node)).containsEntry("valid", 1).containsEntry("renewals", 0);
      put("node", NEW, OLD);
      readAgain(node);
      assertThat(secrets(node)).containsEntry("valid", 2).containsEntry("renewals", 1);
      put(directory.resolve("node"), "short");
      readAgain(node);
      assertThat(secrets(node)).containsEntry("valid", 2).containsEntry("renewals", 1);
      assertThat(secrets(node).get("refused")).asString().contains("16 to 4096 bytes", "got 5");
      assertThat(node.health().getStatus()).isEqualTo(Status.UP);
      put("node", NEW, NEW);
      readAgain(node);
      assertThat(secrets(node))
          .containsOnlyKeys("valid", "renewals", "since")
          .containsEntry("valid", 1)
          .containsEntry("renewals", 2);
      assertThat(Instant.parse(secrets(node).get("since").toString()))
          .isBetween(Instant.now().minus(Node.PATIENCE), Instant.now());
    }
    try (Node without = Node.overTcp("secret=" + NEW)) {
      assertThat(without.health().getDetails()).doesNotContainKeys("secrets", "tls");
    }
  }

  private static Map<String, Object> secrets(Node node) {
    return Details.of(node, "secrets");
  }

  @Test
  void whatIsNoSecretChangesNothing() throws IOException {
    try (Node target = node("target", OLD)) {
      put(directory.resolve("target"), "short");
      readAgain(target);
      try (Node origin = node("origin", OLD)) {
        reach(origin, target);
      }
      Files.delete(directory.resolve("target"));
      readAgain(target);
      try (Node origin = node("another", OLD)) {
        reach(origin, target);
      }
      put("target", NEW, NEW);
      readAgain(target);
      try (Node origin = node("renewed", NEW)) {
        reach(origin, target);
      }
    }
  }
}
