package io.reactivetransfer.spring;

import static org.awaitility.Awaitility.await;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.tck.process.FreePorts;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.ReactiveHealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** An application of Spring Boot with one engine, as a process of its own would run it. */
final class Node implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(30);

  final ConfigurableApplicationContext context;

  /** Nothing but what is found on the class path. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {}

  private Node(ConfigurableApplicationContext context) {
    this.context = context;
  }

  /** With one engine over tcp, of one NIC, and these properties of it. */
  static Node overTcp(String... properties) {
    return start(
        Application.class,
        Stream.concat(Stream.of("backend=tcp", "nics=1"), Stream.of(properties))
            .map(each -> "reactive-transfer." + each)
            .toArray(String[]::new));
  }

  /** With these properties. */
  static Node start(Class<?> application, String... properties) {
    return new Node(
        new SpringApplicationBuilder(application)
            .web(WebApplicationType.NONE)
            .bannerMode(Banner.Mode.OFF)
            .logStartupInfo(false)
            .registerShutdownHook(false)
            .properties(properties)
            .run());
  }

  /** A port that is free, and so is the one behind it, for a NIC. */
  static int freePort() {
    return FreePorts.inARow(2);
  }

  TransferEngine engine() {
    return context.getBean(TransferEngine.class);
  }

  /** Where it is reached. */
  String at() {
    return engine().address().control().toString();
  }

  /** What another node finds in its memory when this one has written a text there. */
  String write(Node target, String text) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment sentence = arena.allocateFrom(text);
      MemorySegment page = arena.allocate(sentence.byteSize());
      MemoryRegion source = engine().register(sentence).block(PATIENCE);
      MemoryRegion destination = target.engine().register(page).block(PATIENCE);
      byte[] descriptor = destination.descriptor().toBytes();
      RemoteRegion remote = engine().remote(RegionDescriptor.fromBytes(descriptor));
      var arrived = target.engine().counter(Imm.of(7)).next(1).toFuture();
      engine().submit(WriteImm.of(source.whole(), remote.whole(), Imm.of(7))).block(PATIENCE);
      arrived.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
      String read = page.getString(0);
      source.close().then(destination.close()).block(PATIENCE);
      return read;
    }
  }

  Health health() {
    return health("default");
  }

  Health health(String engine) {
    var all = context.getBean(EngineHealthContributor.class);
    return ((ReactiveHealthIndicator) all.getContributor(engine)).health().block(PATIENCE);
  }

  void awaitUp() {
    awaitUp("default");
  }

  void awaitUp(String engine) {
    await()
        .atMost(PATIENCE)
        .until(() -> health(engine), health -> health.getStatus().equals(Status.UP));
  }

  /** Down, with a reason that names this. */
  void awaitDown(String named) {
    awaitDown("default", named);
  }

  void awaitDown(String engine, String named) {
    await()
        .atMost(PATIENCE)
        .until(
            () -> health(engine),
            health ->
                health.getStatus().equals(Status.DOWN)
                    && String.valueOf(health.getDetails().get("reason")).contains(named));
  }

  @Override
  public void close() {
    context.close();
  }
}
