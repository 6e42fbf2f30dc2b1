package io.reactivetransfer.tcp;

import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.reactivetransfer.EngineId;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Engines come and go: nothing in the process knows those that were closed. */
class ClosedEngineTest {

  /** So many are kept for engines to come. */
  private static final int MAX_SPARE_POOLS = 4;

  private static final int ROUNDS = 5;
  private static final int MANY = 20 * Integer.getInteger("reactivetransfer.rounds", 1);

  @Test
  void isForgotten() {
    List<WeakReference<TcpLoop>> closed = new ArrayList<>();
    for (int i = 0; i < ROUNDS; i++) {
      closed.addAll(openWriteAndClose());
    }
    await()
        .until(() -> {
          System.gc();
          // The last one may still be known to what its thread has left behind.
          return closed.stream().filter(loop -> loop.get() != null).count() <= 1;
        });
  }

  @Test
  void isForgottenByTheOneThatStays() {
    try (TestNic survivor = new TestNic()) {
      TcpDomain domain = (TcpDomain) survivor.domain;
      List<EngineId> gone = new ArrayList<>();
      var own = survivor.register(8);
      for (int i = 1; i <= MANY; i++) {
        try (TestNic guest = new TestNic()) {
          var memory = guest.register(8);
          guest.write(memory, guest.remote(survivor, own), 8, i);
          survivor.write(own, survivor.remote(guest, memory), 8, i);
          guest.awaitWritten(1);
          survivor.awaitWritten(i);
          if (i % 2 == 0) {
            guest.kill();
          }
          gone.add(guest.id);
        }
      }
      // What broke is remembered for as long as the control channel has a session with the engine.
      survivor.run(() -> gone.forEach(survivor.loop::sessionEnded));
      survivor.awaitUntil(() -> survivor.call(domain::known) == 0);
    }
  }

  @Test
  void leavesItsBuffersToAFewOthersOnly() {
    List<TestNic> many = new ArrayList<>();
    List<WeakReference<ByteBufAllocator>> buffers = new ArrayList<>();
    for (int i = 0; i < 3 * MAX_SPARE_POOLS; i++) {
      TestNic nic = new TestNic();
      many.add(nic);
      buffers.add(new WeakReference<>(buffersOf(nic.loop)));
    }
    many.forEach(TestNic::close);
    many.clear();
    await()
        .until(() -> {
          System.gc();
          // One more may still be known to what the last thread has left behind.
          return buffers.stream().filter(pool -> pool.get() != null).count() <= MAX_SPARE_POOLS + 1;
        });
  }

  private static ByteBufAllocator buffersOf(TcpLoop loop) {
    return (ByteBufAllocator) loop.client().configuration().options().get(ChannelOption.ALLOCATOR);
  }

  private static List<WeakReference<TcpLoop>> openWriteAndClose() {
    try (TestNic origin = new TestNic();
        TestNic target = new TestNic()) {
      var source = origin.register(8);
      origin.write(source, origin.remote(target, target.register(8)), 8, 1);
      origin.awaitWritten(1);
      return List.of(new WeakReference<>(origin.loop), new WeakReference<>(target.loop));
    }
  }
}
