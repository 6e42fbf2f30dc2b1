package io.reactivetransfer.membership.etcd;

import static io.reactivetransfer.membership.etcd.EtcdServer.PATIENCE;
import static io.reactivetransfer.membership.etcd.EtcdServer.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.membership.Node;
import io.reactivetransfer.membership.NodeChange.Left;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a client gets for its password, and what becomes of nodes when etcd takes it no more. */
class EtcdTokensTest {

  private static final Node ONE = Node.of("one", "decode", new HostPort("10.0.0.7", 7400));
  private static final Node TWO = Node.of("two", "decode", new HostPort("10.0.0.8", 7400));
  private static final Node THREE = Node.of("three", "decode", new HostPort("10.0.0.9", 7400));

  private static final Path SECRET = secret();

  /** Its tokens last for 2 s, used or not, or until its users change. */
  @RegisterExtension
  static final EtcdServer ETCD =
      new EtcdServer().with("--auth-token=jwt,sign-method=HS256,ttl=2s,priv-key=" + SECRET);

  private final InFlight tokens = new InFlight("Authenticate");
  private final List<EtcdMembership> opened = new ArrayList<>();

  private static Path secret() {
    try {
      Path file = Files.createTempFile("etcd", ".key");
      file.toFile().deleteOnExit();
      return Files.writeString(file, "signs tokens, for a test");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ClientBuilder root(String password) {
    return ETCD.builder().user(bytes("root")).password(bytes(password));
  }

  private EtcdMembership open(ClientBuilder client) {
    EtcdMembership membership = EtcdMembership.builder(client).lease(Duration.ofMinutes(1)).build();
    opened.add(membership);
    return membership;
  }

  @AfterEach
  void close() {
    opened.forEach(each -> each.close().block(PATIENCE));
  }

  @Test
  void oneThatHasExpiredIsReplaced() throws Exception {
    ETCD.enableUsers();
    EtcdMembership membership = open(root("root").interceptor(tokens));
    View view = new View(membership);
    membership.register(ONE).onErrorComplete().subscribe();
    view.until(ONE);
    int before = tokens.ended.get();
    await()
        .atMost(PATIENCE)
        .until(() -> {
          View another = new View(membership);
          another.until(ONE);
          another.cancel();
          return tokens.ended.get() >= before + 1;
        });
    assertThat(view.changes).noneMatch(Left.class::isInstance);
  }

  @Test
  void thoseThatAnEtcdDoesNotKnowAnyMoreWhenItIsBackAreReplaced() throws Exception {
    ETCD.enableUsers();
    EtcdMembership membership = open(root("root").interceptor(tokens));
    View view = new View(membership);
    List<Node> entered = new CopyOnWriteArrayList<>();
    membership.register(ONE).onErrorComplete().subscribe(entered::add);
    view.until(ONE);
    await().atMost(PATIENCE).until(() -> !entered.isEmpty());
    int before = tokens.ended.get();
    ETCD.kill();
    Files.writeString(SECRET, "signs other tokens");
    ETCD.start();
    await().atMost(PATIENCE).until(() -> entered.size() >= 2);
    assertThat(tokens.ended.get()).isGreaterThan(before);
    open(root("root").interceptor(tokens)).register(TWO).onErrorComplete().subscribe();
    view.until(ONE, TWO);
    assertThat(view.changes).noneMatch(Left.class::isInstance);
  }

  /** The password is wrong for a while, when both the registration and the view are watching. */
  @Test
  void aRefusalOfLaterIsTriedAgain() throws Exception {
    ETCD.enableUsers();
    EtcdMembership membership = open(root("root").interceptor(tokens));
    View view = new View(membership);
    List<Node> entered = new CopyOnWriteArrayList<>();
    membership.register(ONE).onErrorComplete().subscribe(entered::add);
    view.until(ONE);
    await().atMost(PATIENCE).until(() -> !entered.isEmpty());
    membership.register(TWO).onErrorComplete().subscribe();
    view.until(ONE, TWO);
    try (Client root = root("root").build()) {
      root.getAuthClient().userChangePassword(bytes("root"), bytes("next")).get();
    }
    int before = tokens.ended.get();
    ETCD.kill();
    ETCD.start();
    await().atMost(PATIENCE).until(() -> tokens.ended.get() >= before + 3);
    try (Client root = root("next").build()) {
      root.getAuthClient().userChangePassword(bytes("root"), bytes("root")).get();
    }
    membership.register(THREE).onErrorComplete().subscribe();
    view.until(ONE, TWO, THREE);
    assertThat(view.changes).noneMatch(Left.class::isInstance);
  }
}
