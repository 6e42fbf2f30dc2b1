package io.reactivetransfer.examples.beans;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Mono;

/** An application of Spring Boot, without a web, whose two engines are named by properties. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public final class InjectEngines {

  public static void main(String[] args) {
    new SpringApplicationBuilder(InjectEngines.class)
        .web(WebApplicationType.NONE)
        .bannerMode(Banner.Mode.OFF)
        .logStartupInfo(false)
        .properties(
            "spring.config.name=inject-engines", // inject-engines.yaml could say the same
            "reactive-transfer.engines.prefill.backend=tcp",
            "reactive-transfer.engines.decode.backend=tcp")
        .run(args)
        .close();
  }

  /** For memory of the engines: they are closed before any bean is destroyed, so before this. */
  @Bean
  Arena arena() {
    return Arena.ofShared();
  }

  /** Is given engines that are open, each by its name, and runs when all beans are there. */
  @Bean
  ApplicationRunner writer(
      Arena arena,
      @Qualifier("prefill") TransferEngine prefill,
      @Qualifier("decode") TransferEngine decode) {
    return _ -> {
      MemorySegment sentence = arena.allocateFrom("prefill writes, decode counts.");
      MemorySegment page = arena.allocate(sentence.byteSize());
      MemoryRegion source = prefill.register(sentence).block();
      MemoryRegion destination = decode.register(page).block();

      RemoteRegion remote = prefill.remote(destination.descriptor());
      Imm imm = Imm.of(7);
      Mono<WriteImm> done = prefill.submit(WriteImm.of(source.whole(), remote.whole(), imm));
      Mono<Void> arrived = decode.counter(imm).next(1);
      Mono.when(done, arrived).block();

      if (page.mismatch(sentence) >= 0) {
        throw new IllegalStateException("expected what was written, got " + page.getString(0));
      }
      System.out.println("Arrived: " + page.getString(0));
    };
  }
}
