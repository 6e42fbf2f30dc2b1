package io.reactivetransfer.tck;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Backends with one defect in how they let go: of memory, of sources, of what they hold. */
final class HalfWaySaboteurs {

  /** Less is left to the other rules. */
  private static final long LARGE = 1 << 20;

  /** How often a byte is written again, 5 ms after each other. */
  private static final int AGAIN = 3;

  static final List<Saboteur> ALL =
      List.of(
          Saboteur.nic("24.5", "lets writes land until the next poll", RevokesLate::new),
          Saboteur.nic("24.5", "goes on with a write after revoke", GoesOnAfterRevoke::new),
          Saboteur.nic("24.5", "writes again after revoke", WritesAgainAfterRevoke::new),
          Saboteur.nic("24.6", "ignores deregister", IgnoresDeregister::new),
          Saboteur.nic("24.6", "deregisters with the next poll", DeregistersLate::new),
          Saboteur.nic("24.7", "goes on with a write after close", GoesOnAfterClose::new),
          Saboteur.nic("24.7", "writes again after close", WritesAgainAfterClose::new),
          Saboteur.nic("24.7", "reads sources after close", ClosesLate::new),
          Saboteur.nic("24.8", "reads a source after its report", ReadsLate::new),
          Saboteur.nic("24.9", "loses arrivals when it writes itself", LosesWhenBusy::new),
          Saboteur.nic("24.10", "leaves files open", LeavesFiles::new),
          Saboteur.nic("24.10", "leaves threads", LeavesThreads::new),
          Saboteur.nic("24.10", "leaves mappings", LeavesMappings::new),
          Saboteur.nic("24.10", "leaves one mapping of a file", LeavesMapping::new),
          Saboteur.nic("24.10", "leaves files that it has closed", LeavesNames::new));

  private HalfWaySaboteurs() {}

  /** Touches the last byte of memory after a while, as a card does that was not told. */
  private static void touchLater(MemorySegment memory) {
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
          long last = memory.byteSize() - 1;
          byte now = memory.get(ValueLayout.JAVA_BYTE, last);
          memory.set(ValueLayout.JAVA_BYTE, last, (byte) (now + 1));
        });
  }

  /** Writes the first byte that has come once more, as a card does that repeats what it sent. */
  private static void writeAgain(MemorySegment memory) {
    byte now = memory.get(ValueLayout.JAVA_BYTE, 0);
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            for (int i = 0; i < AGAIN; i++) {
              LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
              memory.set(ValueLayout.JAVA_BYTE, 0, now);
            }
          } catch (IllegalStateException _) {
            return; // the rule is over, and has freed the memory
          }
        });
  }

  /** A NIC that knows its memory. */
  private static class Knowing extends ForwardingDomain {
    final IdentityHashMap<LocalMemory, HostMemory> memory = new IdentityHashMap<>();
    final List<LocalMemory> old = new ArrayList<>();

    Knowing(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public Capabilities capabilities() {
      return inner.capabilities().toBuilder().devices(Set.of(Device.HOST)).build();
    }

    @Override
    public CompletionStage<LocalMemory> register(Memory given, Access access) {
      LocalMemory local = now(inner.register(given, access));
      if (access == Access.REMOTE_WRITE) {
        memory.put(local, (HostMemory) given);
      }
      return CompletableFuture.completedStage(local);
    }

    final boolean isLarge(LocalMemory local) {
      HostMemory known = memory.get(local);
      return known != null && known.length() > LARGE;
    }

    final void pollThenForgetOld(CompletionSink sink) {
      inner.poll(sink);
      old.forEach(each -> now(inner.deregister(each)));
      old.clear();
    }
  }

  private static final class RevokesLate extends Knowing {
    RevokesLate(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public CompletionStage<LocalMemory> revoke(LocalMemory local) {
      if (!isLarge(local)) {
        return inner.revoke(local);
      }
      old.add(local);
      return register(Objects.requireNonNull(memory.get(local)), Access.REMOTE_WRITE);
    }

    @Override
    public int poll(CompletionSink sink) {
      if (!old.isEmpty()) {
        pollThenForgetOld(sink);
        return 1;
      }
      return inner.poll(sink);
    }
  }

  private static final class GoesOnAfterRevoke extends Knowing {
    GoesOnAfterRevoke(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public CompletionStage<LocalMemory> revoke(LocalMemory local) {
      if (isLarge(local)) {
        touchLater(memory.get(local).segment());
      }
      return inner.revoke(local);
    }
  }

  private static final class WritesAgainAfterRevoke extends Knowing {
    WritesAgainAfterRevoke(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public CompletionStage<LocalMemory> revoke(LocalMemory local) {
      if (isLarge(local)) {
        writeAgain(memory.get(local).segment());
      }
      return inner.revoke(local);
    }
  }

  private static final class IgnoresDeregister extends Knowing {
    IgnoresDeregister(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public CompletionStage<Void> deregister(LocalMemory local) {
      if (!isLarge(local)) {
        now(inner.deregister(local));
      }
      return CompletableFuture.completedStage(null);
    }
  }

  private static final class DeregistersLate extends Knowing {
    DeregistersLate(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public CompletionStage<Void> deregister(LocalMemory local) {
      if (isLarge(local)) {
        old.add(local);
      } else {
        now(inner.deregister(local));
      }
      return CompletableFuture.completedStage(null);
    }

    @Override
    public int poll(CompletionSink sink) {
      if (!old.isEmpty()) {
        pollThenForgetOld(sink);
        return 1;
      }
      return inner.poll(sink);
    }
  }

  /** Touches what is registered to the end. */
  private abstract static class TouchesAfterClose extends Knowing {
    TouchesAfterClose(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public CompletionStage<LocalMemory> revoke(LocalMemory local) {
      memory.remove(local);
      return inner.revoke(local);
    }

    @Override
    public CompletionStage<Void> deregister(LocalMemory local) {
      memory.remove(local);
      now(inner.deregister(local));
      return CompletableFuture.completedStage(null);
    }

    @Override
    public void close() {
      memory.keySet().stream()
          .filter(local -> memory.get(local).length() == HalfWayRules.BYTES)
          .forEach(local -> touch(memory.get(local).segment()));
      inner.close();
    }

    abstract void touch(MemorySegment segment);
  }

  private static final class GoesOnAfterClose extends TouchesAfterClose {
    GoesOnAfterClose(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void touch(MemorySegment segment) {
      touchLater(segment);
    }
  }

  private static final class WritesAgainAfterClose extends TouchesAfterClose {
    WritesAgainAfterClose(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void touch(MemorySegment segment) {
      writeAgain(segment);
    }
  }

  private static final class ClosesLate extends TrackingDomain {
    ClosesLate(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public void close() {
      if (out.values().stream().noneMatch(write -> write.op.length() > LARGE)) {
        inner.close();
        return;
      }
      Thread.ofPlatform()
          .daemon()
          .start(() -> {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(60));
            inner.close();
          });
    }
  }

  private static final class ReadsLate extends LateDomain {
    ReadsLate(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public PostResult post(Operation op) {
      if (op.length() != 4_000) {
        return super.post(op);
      }
      passLater(op, true);
      reportSoon(op.token());
      return PostResult.TAKEN;
    }
  }

  private static final class LosesWhenBusy extends TrackingDomain {
    private int arrivals;

    LosesWhenBusy(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void arrived(int imm, long bytes, CompletionSink sink) {
      if (out.isEmpty() || ++arrivals % 20 != 0) {
        sink.immArrived(imm, bytes);
      }
    }
  }

  /** Maps a file that has no name any more. */
  static void map(Arena arena) throws IOException {
    Path file = Files.createTempFile("saboteur", null);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      channel.map(MapMode.READ_WRITE, 0, 1, arena);
    }
    Files.delete(file);
  }

  /** Leaves something at each close, once it had much memory. */
  private abstract static class Leaking extends ForwardingDomain {
    private final boolean leaks;
    private int registered;

    Leaking(Domain inner, OpenContext context) {
      super(inner);
      leaks = DriverSaboteurs.isBare(context);
    }

    @Override
    public CompletionStage<LocalMemory> register(Memory memory, Access access) {
      registered++;
      return inner.register(memory, access);
    }

    @Override
    public void close() {
      for (int i = 0; i < (leaks && registered > 8 ? times() : 0); i++) {
        try {
          leak();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
      inner.close();
    }

    int times() {
      return 6;
    }

    abstract void leak() throws IOException;
  }

  private static final class LeavesFiles extends Leaking {
    private static final Map<Integer, FileInputStream> OPEN = new HashMap<>();

    LeavesFiles(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void leak() throws IOException {
      OPEN.put(OPEN.size(), new FileInputStream("/dev/null"));
    }
  }

  private static final class LeavesThreads extends Leaking {
    LeavesThreads(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void leak() {
      Thread.ofPlatform()
          .daemon()
          .start(() -> {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (System.nanoTime() - end < 0) {
              LockSupport.parkNanos(end - System.nanoTime());
            }
          });
    }
  }

  private static final class LeavesMapping extends LeavesMappings {
    LeavesMapping(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    int times() {
      return 1;
    }
  }

  private static class LeavesMappings extends Leaking {
    LeavesMappings(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    final void leak() throws IOException {
      map(Arena.global());
    }
  }

  private static final class LeavesNames extends ForwardingDomain {
    private final FileChannel file;

    LeavesNames(Domain inner, OpenContext context) {
      super(inner);
      try {
        Path path = Files.createTempFile("saboteur", null);
        path.toFile().deleteOnExit();
        file = FileChannel.open(path);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() {
      try {
        file.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      inner.close();
    }
  }
}
