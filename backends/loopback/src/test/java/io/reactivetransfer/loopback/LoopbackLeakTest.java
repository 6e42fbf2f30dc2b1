package io.reactivetransfer.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** An engine that has closed is kept by nobody who knew it. */
class LoopbackLeakTest {

  private static final Duration LONG = Duration.ofSeconds(20);
  private static final int COLLECTIONS = 200;
  private static final long BETWEEN_COLLECTIONS_NANOS = 10_000_000;

  private final LoopbackBackend backend =
      LoopbackBackend.builder().network(new LoopbackNetwork()).build();

  private TransferEngine open() {
    EngineOptions options = EngineOptions.builder().build();
    return TransferEngineBuilder.create().backend(backend).options(options).open().block(LONG);
  }

  /** Opens an engine, has it do everything with another one, in both directions, and closes it. */
  private WeakReference<TransferEngine> comeAndGo(TransferEngine survivor, MemoryRegion memory) {
    TransferEngine guest = open();
    MemoryRegion own = guest.register(Arena.ofAuto().allocate(64)).block(LONG);
    guest
        .submit(
            WriteImm.of(own.slice(0, 8), guest.remote(memory.descriptor()).slice(0, 8), Imm.of(1)))
        .block(LONG);
    survivor.counter(Imm.of(1)).next(1).block(LONG);
    survivor
        .submit(Write.of(memory.slice(0, 8), survivor.remote(own.descriptor()).slice(0, 8)))
        .block(LONG);
    Peer host = guest.peer(survivor.address());
    guest.send(host, ByteBuffer.allocate(4)).block(LONG);
    Mono.when(
            guest.barrier(PeerGroup.of(host)),
            survivor.barrier(PeerGroup.of(survivor.peer(guest.address()))))
        .block(LONG);
    guest.close().block(LONG);
    return new WeakReference<>(guest);
  }

  @Test
  void nobodyKeepsAnEngineThatHasClosed() {
    TransferEngine survivor = open();
    Disposable reader = survivor.messages().subscribe();
    MemoryRegion memory = survivor.register(Arena.ofAuto().allocate(64)).block(LONG);
    List<WeakReference<TransferEngine>> gone = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      gone.add(comeAndGo(survivor, memory));
    }
    for (int i = 0; i < COLLECTIONS && gone.stream().anyMatch(ref -> ref.get() != null); i++) {
      System.gc();
      LockSupport.parkNanos(BETWEEN_COLLECTIONS_NANOS);
    }
    assertThat(gone).allMatch(ref -> ref.get() == null);
    assertThat(survivor.isClosed()).isFalse();
    reader.dispose();
    survivor.close().block(LONG);
  }
}
