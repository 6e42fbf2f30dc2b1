package io.reactivetransfer.membership.etcd;

import static io.reactivetransfer.membership.etcd.EtcdServer.PATIENCE;
import static io.reactivetransfer.membership.etcd.EtcdServer.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.Auth;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.etcd.jetcd.auth.Permission;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.OptionsUtil;
import io.etcd.jetcd.options.PutOption;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.membership.MembershipException;
import io.reactivetransfer.membership.Node;
import io.reactivetransfer.membership.NodeChange.Joined;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Users, what they may do, and what is too long or too much. */
class EtcdRefusesTest {

  private static final String PREFIX = "/reactive-transfer/nodes/";
  private static final Node ONE = Node.of("one", "decode", new HostPort("10.0.0.7", 7400));

  private static final Node TWO = Node.of("two", "decode", new HostPort("10.0.0.8", 7400));
  private static final Node THREE = Node.of("three", "decode", new HostPort("10.0.0.9", 7400));

  @RegisterExtension static final EtcdServer ETCD = new EtcdServer();

  private final List<EtcdMembership> opened = new ArrayList<>();

  private EtcdMembership keep(EtcdMembership.Builder builder) {
    EtcdMembership membership = builder.build();
    opened.add(membership);
    return membership;
  }

  @AfterEach
  void close() {
    opened.forEach(each -> each.close().block(PATIENCE));
  }

  private static void put(String name, String value) throws Exception {
    ETCD.client().getKVClient().put(bytes(PREFIX + name), bytes(value)).get();
  }

  /** So many at a time, as etcd takes them. */
  private static void putAll(int count, String name, String value, int atOnce) throws Exception {
    for (int first = 0; first < count; first += atOnce) {
      Op[] puts =
          IntStream.range(first, Math.min(first + atOnce, count))
              .mapToObj(
                  i -> Op.put(bytes(PREFIX + name + "-" + i), bytes(value), PutOption.DEFAULT))
              .toArray(Op[]::new);
      ETCD.client().getKVClient().txn().Then(puts).commit().get();
    }
  }

  private static ClientBuilder as(String user) {
    return ETCD.builder().user(bytes(user)).password(bytes(user));
  }

  private static void user(String name, Permission.Type may) throws Exception {
    Auth auth = ETCD.client().getAuthClient();
    ByteSequence prefix = bytes(PREFIX);
    auth.roleAdd(bytes(name)).get();
    auth.roleGrantPermission(bytes(name), prefix, OptionsUtil.prefixEndOf(prefix), may).get();
    auth.userAdd(bytes(name), bytes(name)).get();
    auth.userGrantRole(bytes(name), bytes(name)).get();
  }

  @Test
  void whoMayOnlyWriteIsToldSoAndNobodySeesHim() throws Exception {
    user("writer", Permission.Type.WRITE);
    ETCD.enableUsers();
    EtcdMembership root = keep(EtcdMembership.builder(as("root")).lease(Duration.ofMinutes(1)));
    View view = new View(root);
    root.register(TWO).onErrorComplete().subscribe();
    view.until(TWO);
    EtcdMembership writer = keep(EtcdMembership.builder(as("writer")));
    assertThatThrownBy(() -> writer.register(ONE).blockLast(PATIENCE))
        .isInstanceOf(MembershipException.class)
        .hasMessageStartingWith("etcd refuses to enter the node one");
    root.register(THREE).onErrorComplete().subscribe();
    view.until(TWO, THREE);
    assertThat(view.changes).containsExactly(new Joined(TWO), new Joined(THREE));
  }

  /**
   * Before 3.4.22 and 3.5.6, etcd says of a token that it does not know, such as one that another
   * etcd has given, that the user may not watch. This one says so because he may not for a moment.
   */
  @Test
  void whoMayReadAndIsRefusedAWatchTriesAgain() throws Exception {
    user("user", Permission.Type.READWRITE);
    ETCD.enableUsers();
    try (Client root = as("root").build()) {
      Permissions ofView = new Permissions(root.getAuthClient(), "user");
      EtcdMembership viewed = keep(EtcdMembership.builder(as("user").interceptor(ofView)));
      View view = new View(viewed);
      await().atMost(PATIENCE).until(() -> ofView.watches.get() >= 2);
      EtcdMembership ofRoot = keep(EtcdMembership.builder(as("root")));
      ofRoot.register(TWO).onErrorComplete().subscribe();
      view.until(TWO);
      viewed.close().block(PATIENCE); // it changes permissions no more
      Permissions ofOne = new Permissions(root.getAuthClient(), "user");
      List<Node> entered = new CopyOnWriteArrayList<>();
      keep(EtcdMembership.builder(as("user").interceptor(ofOne)))
          .register(ONE)
          .onErrorComplete()
          .subscribe(entered::add);
      new View(ofRoot).until(ONE, TWO);
      await().atMost(PATIENCE).untilAsserted(() -> assertThat(entered).contains(ONE));
      assertThat(ofOne.watches).hasValueGreaterThan(1);
    }
  }

  @Test
  void aPasswordIsFineAlsoWhereEtcdComesLate() throws Exception {
    ETCD.enableUsers();
    ETCD.kill();
    EtcdMembership known = keep(EtcdMembership.builder(as("root")));
    View view = new View(known);
    known.register(ONE).onErrorComplete().subscribe();
    ETCD.start();
    view.until(ONE);
  }

  /**
   * Of 6 MB, where a message may have 4 MiB; and there are more of them than there may be nodes.
   */
  @Test
  void aListThatIsTooLongForOneMessageIsReadInPages() throws Exception {
    putAll(100, "garbage", "x".repeat(60_000), 20);
    put("one", "{\"role\":\"decode\",\"address\":\"10.0.0.7:7400\"}");
    new View(keep(EtcdMembership.builder(ETCD.builder()).maxNodes(1))).until(ONE);
  }

  @Test
  void aValueThatIsTooLongForAMessageIsNamed() throws Exception {
    put("long", "x".repeat(5_000));
    ClientBuilder small = ETCD.builder().maxInboundMessageSize(2_000);
    assertThat(new View(keep(EtcdMembership.builder(small))).untilError())
        .isInstanceOf(MembershipException.class)
        .hasMessageContaining("a longer one of the key /reactive-transfer/nodes/long");
  }

  @Test
  void manyPagesAreOneList() throws Exception {
    putAll(1_200, "n", "{\"role\":\"r\",\"address\":\"h:1\"}", 100);
    View view = new View(keep(EtcdMembership.builder(ETCD.builder())));
    await().atMost(PATIENCE).until(() -> view.changes.size() == 1_200);
  }
}
