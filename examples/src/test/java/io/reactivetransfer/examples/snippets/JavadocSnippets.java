package io.reactivetransfer.examples.snippets;

import io.etcd.jetcd.Client;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.config.EngineConfiguration;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.examples.snippets.WritingABackendSnippets.MyNicBackend;
import io.reactivetransfer.jfr.EngineEvents;
import io.reactivetransfer.kvcache.KvCacheOptions;
import io.reactivetransfer.membership.Membership;
import io.reactivetransfer.membership.dns.DnsMembership;
import io.reactivetransfer.membership.etcd.EtcdMembership;
import io.reactivetransfer.membership.kubernetes.KubernetesMembership;
import io.reactivetransfer.micrometer.EngineMeters;
import io.reactivetransfer.micrometer.KvMeters;
import io.reactivetransfer.micrometer.KvObservations;
import io.reactivetransfer.micrometer.MoeMeters;
import io.reactivetransfer.micrometer.WeightsMeters;
import io.reactivetransfer.micrometer.WeightsObservations;
import io.reactivetransfer.moe.MoeOptions;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.TransferConformance;
import io.reactivetransfer.tck.process.EngineProgram;
import io.reactivetransfer.tck.process.TwoProcesses;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.version.WeightsController;
import io.reactivetransfer.weights.version.WeightsRank;
import io.reactivetransfer.weights.version.WeightsRankBuilder;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SegmentAllocator;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import reactor.core.scheduler.Schedulers;

/** The lines that comments of classes show, to be compiled. */
abstract class JavadocSnippets {

  TransferEngine built() {
    TransferEngine engine = TransferEngineBuilder.create().backend("tcp").open().block();
    return engine;
  }

  TransferEngine configured() {
    TransferEngine engine =
        EngineConfiguration.load(Path.of("engine.properties")).builder().open().block();
    return engine;
  }

  List<EngineOptions> recorded(MeterRegistry registry) {
    EngineOptions ofEvents;
    {
      EngineOptions options = EngineOptions.builder().recorder(EngineEvents.recorder()).build();
      ofEvents = options;
    }
    EngineOptions options =
        EngineOptions.builder().recorder(EngineMeters.of(registry).build()).build();
    return List.of(options, ofEvents);
  }

  KvCacheOptions metersOfCaches(MeterRegistry registry) {
    KvCacheOptions options =
        KvCacheOptions.builder().recorder(KvMeters.of(registry).build()).build();
    return options;
  }

  KvCacheOptions observationsOfCaches(MeterRegistry meters, ObservationRegistry observations) {
    KvCacheOptions options =
        KvCacheOptions.builder()
            .recorder(KvMeters.of(meters).build().andThen(KvObservations.of(observations)))
            .build();
    return options;
  }

  MoeOptions metersOfExperts(MeterRegistry registry) {
    MoeOptions options = MoeOptions.builder().recorder(MoeMeters.of(registry).build()).build();
    return options;
  }

  List<Object> metersOfWeights(MeterRegistry registry, TransferEngine engine) {
    WeightsMeters meters = WeightsMeters.of(registry).build();
    RunOptions run = RunOptions.builder().recorder(meters).build(); // of a rank of the trainer
    WeightsRankBuilder rank = WeightsRank.on(engine, "rank-0").recorder(meters);
    WeightsController controller = WeightsController.open(engine, Schedulers.parallel(), meters);
    return List.of(run, rank, controller);
  }

  List<Object> observationsOfWeights(ObservationRegistry registry, TransferEngine engine) {
    WeightsObservations observations = WeightsObservations.of(registry);
    RunOptions run = RunOptions.builder().recorder(observations).build();
    WeightsRankBuilder rank = WeightsRank.on(engine, "rank-0").recorder(observations);
    WeightsController controller =
        WeightsController.open(engine, Schedulers.parallel(), observations);
    return List.of(run, rank, controller);
  }

  EtcdMembership etcd() {
    EtcdMembership membership =
        EtcdMembership.builder(Client.builder().endpoints("http://10.0.0.5:2379")).build();
    return membership;
  }

  Membership kubernetes() {
    KubernetesClient client = new KubernetesClientBuilder().build();
    Membership prefills = KubernetesMembership.service(client, "prefill", "engine").build();
    return prefills;
  }

  List<Membership> dns() {
    Membership addresses =
        DnsMembership.addresses("prefill", "prefill.llm.svc.cluster.local", 7400).build();
    Membership services =
        DnsMembership.services("prefill", "_engine._tcp.prefill.llm.svc.cluster.local").build();
    return List.of(addresses, services);
  }

  static final class MyProgram {
    public static void main(String[] args) throws IOException {
      new EngineProgram(openEngine(args)).serve();
    }
  }

  private static TransferEngine openEngine(String[] args) {
    return TransferEngineBuilder.create().backend(args[0]).open().block();
  }

  static class MyConformanceTest extends TransferConformance {
    @Override
    protected Backend backend() {
      return new MyNicBackend();
    }
  }

  @Chapters({"Visibility", "LostPeer", "Message"})
  class MySecureConformanceTest extends MyConformanceTest {}

  static class MyTwoProcessesConformanceTest extends TransferConformance {
    static final class Mine implements Supplier<Backend> {
      @Override
      public Backend get() {
        return new MyNicBackend();
      }
    }

    private static final TwoProcesses BOTH = new TwoProcesses(Mine.class);

    @AfterAll
    static void end() {
      BOTH.close();
    }

    @Override
    protected Backend backend() {
      return BOTH;
    }

    @Override
    protected SegmentAllocator memory(Arena arena) {
      return BOTH.memory();
    }
  }
}
