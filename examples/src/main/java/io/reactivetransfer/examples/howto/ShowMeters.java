package io.reactivetransfer.examples.howto;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.micrometer.EngineMeters;
import java.lang.foreign.Arena;
import java.util.concurrent.CountDownLatch;

/** Meters of Micrometer, and a recorder of one's own behind them. */
public final class ShowMeters {

  private static final String TRANSFERRED = "reactive.transfer.transferred";

  public static void main(String[] args) throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    SimpleMeterRegistry registry = new SimpleMeterRegistry(); // or the one that you have
    EngineRecorder own = new EngineRecorder() { // called on the NIC's thread, so it must not block
          @Override
          public void streamEnded(EngineId engine, StreamEnd end) {
            ended.countDown();
          }
        };
    EngineRecorder recorder = EngineMeters.of(registry).build().andThen(own);
    EngineOptions options = EngineOptions.builder().recorder(recorder).build();
    TransferEngine origin =
        TransferEngineBuilder.create().backend("tcp").options(options).open().block();
    TransferEngine target = TransferEngineBuilder.create().backend("tcp").open().block();
    try (Arena arena = Arena.ofShared()) {
      MemoryRegion source = origin.register(arena.allocate(4_096)).block();
      MemoryRegion destination = target.register(arena.allocate(4_096)).block();
      Write write = Write.of(source.whole(), origin.remote(destination.descriptor()).whole());
      origin.submit(write).block();

      ended.await(); // a write counts when its stream has ended
      while (registry.find(TRANSFERRED).functionCounter() == null) {
        Thread.sleep(1); // meters come a moment after the engine
      }
      double bytes = registry.get(TRANSFERRED).functionCounter().count();
      if (bytes != source.length()) {
        throw new IllegalStateException("expected " + source.length() + " bytes, got " + bytes);
      }
      System.out.printf("%s is %.0f bytes.%n", TRANSFERRED, bytes);
      origin.close().then(target.close()).block();
    }
  }
}
