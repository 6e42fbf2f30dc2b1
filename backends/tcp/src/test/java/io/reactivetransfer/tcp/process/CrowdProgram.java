package io.reactivetransfer.tcp.process;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.tck.process.EngineProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Flux;

/**
 * Many engines in one process: tells the descriptor of a memory of each, then has each write to the
 * memory whose descriptor it is told, a slot for each, so many times; ends when its stdin does.
 */
final class CrowdProgram {

  private CrowdProgram() {}

  /** How many engines, how many writes of each, bytes of a write. */
  public static void main(String[] args) throws IOException {
    int engines = Integer.parseInt(args[0]);
    int writes = Integer.parseInt(args[1]);
    int bytes = Integer.parseInt(args[2]);
    EngineOptions options =
        EngineOptions.builder().livenessDeadline(Duration.ofSeconds(40)).build();
    List<TransferEngine> all = new ArrayList<>();
    List<MemoryRegion> memory = new ArrayList<>();
    for (int i = 0; i < engines; i++) {
      TransferEngine engine =
          TransferEngineBuilder.create().backend("tcp").options(options).open().block();
      all.add(engine);
      memory.add(engine.register(Arena.global().allocate(bytes).fill((byte) (i + 1))).block());
      System.out.println(EngineProgram.text(memory.get(i).descriptor()));
    }
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    RegionDescriptor hub = EngineProgram.descriptor(in.readLine());
    Flux.range(0, engines)
        .flatMap(
            i -> {
              var slot = all.get(i).remote(hub).slice((long) i * bytes, bytes);
              var write = WriteImm.of(memory.get(i).whole(), slot, Imm.of(1 + i));
              return all.get(i).submit(Flux.just(write).repeat(writes - 1L));
            },
            engines)
        .blockLast();
    System.out.println("written");
    in.readLine();
    Flux.fromIterable(all).flatMap(TransferEngine::close, engines).blockLast();
    System.out.println("closed");
    in.readLine();
  }
}
