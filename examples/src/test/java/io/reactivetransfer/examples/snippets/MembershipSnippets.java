package io.reactivetransfer.examples.snippets;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.kvcache.KvArrival;
import io.reactivetransfer.kvcache.KvDecode;
import io.reactivetransfer.kvcache.KvOrder;
import io.reactivetransfer.kvcache.KvRouter;
import io.reactivetransfer.kvcache.PagePool;
import io.reactivetransfer.membership.FixedMembership;
import io.reactivetransfer.membership.Membership;
import io.reactivetransfer.membership.Node;
import io.reactivetransfer.membership.NodeChange.Changed;
import io.reactivetransfer.membership.NodeChange.Joined;
import io.reactivetransfer.membership.NodeChange.Left;
import io.reactivetransfer.membership.NodePeer;
import io.reactivetransfer.membership.NodePeers;
import io.reactivetransfer.membership.NodeRanks;
import io.reactivetransfer.membership.dns.DnsMembership;
import io.reactivetransfer.membership.etcd.EtcdMembership;
import io.reactivetransfer.membership.kubernetes.EndpointState;
import io.reactivetransfer.membership.kubernetes.KubernetesMembership;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.remote.RemoteTrainers;
import io.reactivetransfer.weights.version.RankMember;
import io.reactivetransfer.weights.version.UpdateResult;
import io.reactivetransfer.weights.version.WeightsController;
import io.reactivetransfer.weights.version.WeightsTrainer;
import io.reactivetransfer.weights.version.WeightsUpdate;
import java.io.File;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The lines of docs/membership.md, so that they are compiled. */
abstract class MembershipSnippets {

  interface Answer {}

  abstract Mono<Answer> generate(KvArrival arrival);

  Disposable changes(Map<String, HostPort> nodes) {
    Membership membership =
        DnsMembership.addresses("prefill", "prefill.llm.svc.cluster.local", 7400).build();
    Disposable subscription =
        membership
            .nodes()
            .subscribe(change -> {
              switch (change) {
                case Joined(Node node) -> nodes.put(node.name(), node.address());
                case Changed(Node before, Node node) -> nodes.put(node.name(), node.address());
                case Left(Node node) -> nodes.remove(node.name());
              }
            });
    return subscription;
  }

  void peers(TransferEngine engine, Membership membership) {
    Flux<List<NodePeer>> nodes =
        NodePeers.of(engine, membership, node -> "llama-3-8b".equals(node.label("model")));
    Flux<List<Peer>> prefills = NodePeers.alive(engine, membership, "prefill");
    Flux.merge(nodes, prefills).subscribe();
  }

  Mono<Answer> caches(
      TransferEngine engine,
      Membership membership,
      KvDecode decode,
      PagePool pool,
      ByteBuffer prompt) {
    KvRouter router = KvRouter.open(decode, NodePeers.alive(engine, membership, "prefill"));
    Mono<Answer> answer =
        router.receive(
            Duration.ofSeconds(10),
            prefill -> KvOrder.into(prefill, pool.reserve(8)).body(prompt),
            arrival -> generate(arrival));
    return answer;
  }

  Mono<List<PeerAddress>> ranks(TransferEngine engine, Membership membership) {
    Mono<List<PeerAddress>> trainers =
        NodeRanks.addresses(engine, membership, "trainer", 8, Duration.ofMinutes(5));
    return trainers;
  }

  Mono<UpdateResult> weights(
      TransferEngine engine,
      Membership membership,
      RoutingTable table,
      RemoteTrainers remote,
      WeightsController controller,
      WeightsUpdate update) {
    Mono<UpdateResult> result =
        Mono.zip(
                NodeRanks.addresses(engine, membership, "inference", 8, Duration.ofMinutes(5)),
                NodeRanks.addresses(engine, membership, "trainer", 8, Duration.ofMinutes(5)))
            .flatMap(found -> {
              List<RankMember> ranks = new ArrayList<>();
              for (PeerAddress each : found.getT1()) {
                ranks.add(
                    new RankMember(table.targets().get(ranks.size()).name(), engine.peer(each)));
              }
              List<WeightsTrainer> trainers =
                  found.getT2().stream().map(each -> remote.trainer(engine.peer(each))).toList();
              return controller.update(update, ranks, trainers);
            });
    return result;
  }

  List<Membership> fixed() {
    Membership membership =
        FixedMembership.parse("prefill", "prefill-0=10.0.0.7:7400,prefill-1=[fd00::7]:7400");
    Membership labelled =
        FixedMembership.of(
            Node.of("decode-0", "decode", new HostPort("10.0.0.9", 7400)).withLabel("rank", "0"),
            Node.of("decode-1", "decode", new HostPort("10.0.0.10", 7400)).withLabel("rank", "1"));
    return List.of(membership, labelled);
  }

  List<Membership> dns() {
    Membership pods =
        DnsMembership.addresses("prefill", "prefill.llm.svc.cluster.local", 7400)
            .interval(Duration.ofSeconds(1), Duration.ofSeconds(10))
            .build();
    Membership services =
        DnsMembership.services("prefill", "_engine._tcp.prefill.llm.svc.cluster.local")
            .nameServers(List.of(new InetSocketAddress("10.96.0.10", 53)))
            .build();
    return List.of(pods, services);
  }

  List<Membership> kubernetes() {
    KubernetesClient client = new KubernetesClientBuilder().build();
    Membership prefills = KubernetesMembership.service(client, "prefill", "engine").build();
    Membership decodes =
        KubernetesMembership.service(client, "decode", 7400)
            .namespace("llm")
            .state(EndpointState.SERVING)
            .build();
    return List.of(prefills, decodes);
  }

  KubernetesClient kubernetesByTheJdk() {
    KubernetesClient client =
        new KubernetesClientBuilder().withHttpClientFactory(new JdkHttpClientFactory()).build();
    return client;
  }

  void etcd(
      TransferEngine engine,
      File authority,
      File certificate,
      File key,
      String password,
      Logger log)
      throws SSLException {
    EtcdMembership membership =
        EtcdMembership.builder(
                Client.builder()
                    .endpoints("https://etcd-0:2379", "https://etcd-1:2379", "https://etcd-2:2379")
                    .sslContext(tls -> tls.trustManager(authority).keyManager(certificate, key))
                    .user(ByteSequence.from("llm", UTF_8))
                    .password(ByteSequence.from(password, UTF_8)))
            .lease(Duration.ofSeconds(10))
            .build();

    Node node =
        Node.of("decode-0", "decode", engine.address().control()).withLabel("model", "llama-3-8b");
    Disposable registration =
        membership.register(node).subscribe(_ -> {}, error -> log.error("not registered", error));
    registration.dispose();
    membership.close().block();
  }
}
