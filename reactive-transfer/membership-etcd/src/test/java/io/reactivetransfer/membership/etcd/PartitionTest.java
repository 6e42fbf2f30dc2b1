package io.reactivetransfer.membership.etcd;

import static io.reactivetransfer.membership.etcd.EtcdServer.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.ClientBuilder;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.PutResponse;
import io.etcd.jetcd.options.CompactOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.LeaseOption;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.membership.Node;
import io.reactivetransfer.membership.NodeChange;
import io.reactivetransfer.membership.NodeChange.Joined;
import io.reactivetransfer.membership.NodeChange.Left;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.Disposable;

/** A network on which nothing passes for a while, and no connection ends. */
class PartitionTest {

  private static final String PREFIX = "/reactive-transfer/nodes/";
  private static final Node FAR = node("far");
  private static final Node STAYS = node("stays");
  private static final Node LEAVES = node("leaves");
  private static final Node JOINS = node("joins");

  @RegisterExtension static final EtcdServer ETCD = new EtcdServer();

  private final List<EtcdMembership> opened = new ArrayList<>();

  private static Node node(String name) {
    return Node.of(name, "decode", new HostPort("10.0.0.7", 1));
  }

  private EtcdMembership open(ClientBuilder client, int leaseSeconds) {
    return keep(
        EtcdMembership.builder(client)
            .lease(Duration.ofSeconds(leaseSeconds))
            .callTimeout(Duration.ofSeconds(1)));
  }

  private EtcdMembership keep(EtcdMembership.Builder builder) {
    EtcdMembership membership = builder.build();
    opened.add(membership);
    return membership;
  }

  @AfterEach
  void close() {
    opened.forEach(each -> each.close().block(PATIENCE));
  }

  private static ByteSequence bytes(String text) {
    return ByteSequence.from(text, StandardCharsets.UTF_8);
  }

  private static CompletableFuture<PutResponse> put(String name, String value) {
    return ETCD.client().getKVClient().put(bytes(PREFIX + name), bytes(value));
  }

  private static PutResponse put(Node node) throws Exception {
    return put(node.name(), new String(NodeJson.write(node), StandardCharsets.UTF_8)).get();
  }

  private static void delete(Node node) throws Exception {
    ETCD.client().getKVClient().delete(bytes(PREFIX + node.name())).get();
  }

  private static List<KeyValue> entries() throws Exception {
    GetOption all = GetOption.builder().isPrefix(true).build();
    return ETCD.client().getKVClient().get(bytes(PREFIX), all).get().getKvs();
  }

  private static KeyValue entry(Node node) throws Exception {
    return ETCD.client().getKVClient().get(bytes(PREFIX + node.name())).get().getKvs().getFirst();
  }

  private static <T> T until(Callable<T> there) {
    return await().atMost(PATIENCE).ignoreExceptions().until(there, _ -> true);
  }

  @Test
  void afterOneThatOutlastsTheLeaseEachNodeIsThereOnceAndWhoLeftIsGone() throws Exception {
    try (Relay relay = new Relay(ETCD.port())) {
      EtcdMembership cutOff = open(relay.builder(), 2);
      EtcdMembership others = open(ETCD.builder(), 10);
      View far = new View(cutOff);
      View near = new View(others);
      cutOff.register(FAR).onErrorComplete().subscribe();
      others.register(STAYS).onErrorComplete().subscribe();
      Disposable leaves = others.register(LEAVES).onErrorComplete().subscribe();
      far.until(FAR, STAYS, LEAVES);
      near.until(FAR, STAYS, LEAVES);
      long created = until(() -> entry(FAR)).getCreateRevision();
      relay.partition();
      leaves.dispose();
      others.register(JOINS).onErrorComplete().subscribe();
      Node within = node("within");
      cutOff.register(within).onErrorComplete().subscribe();
      near.until(STAYS, JOINS);
      assertThat(far.changes).doesNotContain(new Left(LEAVES), new Joined(JOINS));
      relay.heal();
      near.until(FAR, STAYS, JOINS, within);
      far.until(FAR, STAYS, JOINS, within);
      // Leases are short, and a machine that does other things may lose one for a moment.
      await().atMost(PATIENCE).untilAsserted(() -> assertThat(entries()).hasSize(4));
      assertThat(until(() -> entry(FAR)).getCreateRevision()).isGreaterThan(created);
      assertThat(far.changes)
          .extracting(NodeChange::node)
          .isSubsetOf(FAR, STAYS, LEAVES, JOINS, within);
    }
  }

  // In a usual build EtcdAwayTest has a lease that is kept for longer than it lasts, but no
  // partition that heals in time.
  @Tag("nightly")
  @Test
  void oneThatIsShorterThanTheLeaseIsNotSeen() throws Exception {
    try (Relay relay = new Relay(ETCD.port())) {
      EtcdMembership cutOff =
          keep(EtcdMembership.builder(relay.builder()).lease(Duration.ofSeconds(15)));
      View far = new View(cutOff);
      View near = new View(open(ETCD.builder(), 10));
      List<Node> entered = new CopyOnWriteArrayList<>();
      cutOff.register(FAR).onErrorComplete().subscribe(entered::add);
      far.until(FAR);
      near.until(FAR);
      await().atMost(PATIENCE).until(() -> entered.contains(FAR)); // it is watched
      long lease = entry(FAR).getLease();
      await().atMost(PATIENCE).until(() -> secondsLeft(lease) <= 12);
      await().atMost(PATIENCE).until(() -> secondsLeft(lease) >= 13); // and was renewed
      relay.partition();
      put(JOINS);
      await().atMost(PATIENCE).until(() -> secondsLeft(lease) <= 8); // a renewal is missing
      relay.heal();
      await().atMost(PATIENCE).until(() -> secondsLeft(lease) >= 12);
      far.until(FAR, JOINS);
      near.until(FAR, JOINS);
      assertThat(far.changes).containsExactly(new Joined(FAR), new Joined(JOINS));
      assertThat(near.changes).containsExactly(new Joined(FAR), new Joined(JOINS));
      assertThat(entered).containsExactly(FAR);
      assertThat(entry(FAR).getLease()).isEqualTo(lease);
    }
  }

  private static long secondsLeft(long lease) throws Exception {
    return ETCD.client().getLeaseClient().timeToLive(lease, LeaseOption.DEFAULT).get().getTTL();
  }

  /**
   * What fits into the connection and into etcd's queue comes when it heals; the rest is no more in
   * etcd by then.
   */
  // In a usual build EtcdAwayTest has a watch that comes back to what was compacted.
  @Tag("nightly")
  @Test
  void whatIsCompactedMeanwhileIsFoundByComparing() throws Exception {
    InFlight calls = new InFlight();
    try (Relay relay = new Relay(ETCD.port())) {
      put(STAYS);
      put(LEAVES);
      View far = new View(open(relay.builder().interceptor(calls), 10));
      far.until(STAYS, LEAVES);
      int lists = calls.begun.get();
      relay.partition();
      put("garbage", "x".repeat(1_000_000)).get(); // gRPC takes 1 MiB before somebody reads
      put("garbage", "x".repeat(1_000_000)).get();
      List<CompletableFuture<PutResponse>> puts = new ArrayList<>();
      for (int i = 0; i < 1_200; i++) { // etcd queues 1,024 events
        puts.add(put("garbage", String.valueOf(i)));
      }
      for (CompletableFuture<PutResponse> each : puts) {
        each.get();
      }
      Node passes = node("passes");
      put(passes);
      delete(passes);
      delete(LEAVES);
      long last = put(JOINS).getHeader().getRevision();
      ETCD.client()
          .getKVClient()
          .compact(last, CompactOption.builder().withCompactPhysical(true).build())
          .get();
      relay.heal();
      far.until(STAYS, JOINS);
      assertThat(calls.begun.get()).as("lists that were asked for").isGreaterThan(lists);
      assertThat(far.changes.subList(2, far.changes.size()))
          .containsExactlyInAnyOrder(new Left(LEAVES), new Joined(JOINS));
      put(LEAVES);
      far.until(STAYS, JOINS, LEAVES);
    }
  }

  /** Where nothing comes back, etcd hears of renewals for a while, and of them nobody knows. */
  // In a usual build the test of what outlasts a lease shows this where nothing passes either way.
  @Tag("nightly")
  @Test
  void whoseQuestionsOrAnswersDoNotPassLeavesAndComesBack() throws Exception {
    Node mute = node("mute");
    Node deaf = node("deaf");
    try (Relay ofFar = new Relay(ETCD.port());
        Relay ofMute = new Relay(ETCD.port());
        Relay ofDeaf = new Relay(ETCD.port())) {
      View near = new View(open(ETCD.builder(), 10));
      open(ofFar.builder(), 2).register(FAR).onErrorComplete().subscribe();
      open(ofMute.builder(), 2).register(mute).onErrorComplete().subscribe();
      open(ofDeaf.builder(), 2).register(deaf).onErrorComplete().subscribe();
      near.until(FAR, mute, deaf);
      ofFar.partition();
      ofMute.hold(Relay.To.ETCD);
      ofDeaf.hold(Relay.To.CLIENT);
      near.until();
      ofFar.heal();
      ofMute.heal();
      ofDeaf.heal();
      near.until(FAR, mute, deaf);
      await().atMost(PATIENCE).untilAsserted(() -> assertThat(entries()).hasSize(3));
    }
  }
}
