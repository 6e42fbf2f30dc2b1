package io.reactivetransfer.tck;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.StagingBuffer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Accesses whose staging buffers have a defect. */
final class StagingSaboteurs {

  static final List<DeviceSaboteur> ALL =
      List.of(
          new DeviceSaboteur("28.13", "has no buffer of less than a page", Pages::new),
          DeviceSaboteur.buffer("28.14", "waits for the first copy only", ForOneOnly::new),
          DeviceSaboteur.buffer("28.15", "begins when it is waited for", Begins::new),
          DeviceSaboteur.buffer("28.16", "says nothing of a failure", Silent::new)
              .entailing("28.24"), // which asks what is said behind a failure
          DeviceSaboteur.buffer("28.17", "is closed some time later", ClosesLater::new)
              .entailing("28.16"), // nobody is told of what has failed then
          new DeviceSaboteur("28.18", "gives away what is closed, each time", Shared::new),
          DeviceSaboteur.buffer("28.24", "never knows that a refusal is over", Unsure::new),
          DeviceSaboteur.buffer("28.24", "says that it is over, and goes on", GoesOn::new));

  private StagingSaboteurs() {}

  private static final class Pages extends ForwardingAccess {
    private static final long PAGE = 4_096;

    Pages(DeviceAccess inner) {
      super(inner);
    }

    @Override
    public StagingBuffer stagingBuffer(Device device, long bytes) {
      return super.stagingBuffer(device, Math.max(PAGE, bytes));
    }
  }

  /** What was begun behind the first one is done when the buffer is closed. */
  private static final class ForOneOnly extends ForwardingBuffer {
    private boolean isBusy;
    private @Nullable Runnable late;

    ForOneOnly(StagingBuffer inner) {
      super(inner);
    }

    @Override
    public void fetch(DeviceMemory source, long sourceOffset, long at, long length) {
      if (isBusy) {
        late = () -> inner.fetch(source, sourceOffset, at, length);
      } else {
        super.fetch(source, sourceOffset, at, length);
        isBusy = true;
      }
    }

    @Override
    public void await() {
      super.await();
      isBusy = false;
    }

    @Override
    public void close() {
      if (late != null) {
        late.run();
      }
      super.close();
    }
  }

  private static final class Begins extends ForwardingBuffer {
    private final List<Runnable> stores = new ArrayList<>();

    Begins(StagingBuffer inner) {
      super(inner);
    }

    @Override
    public void store(long at, DeviceMemory target, long targetOffset, long length) {
      stores.add(() -> inner.store(at, target, targetOffset, length));
    }

    @Override
    public void await() {
      stores.forEach(Runnable::run);
      stores.clear();
      super.await();
    }

    @Override
    public void close() {
      stores.forEach(Runnable::run);
      stores.clear();
      super.close();
    }
  }

  private static final class Silent extends ForwardingBuffer {
    Silent(StagingBuffer inner) {
      super(inner);
    }

    @Override
    public void await() {
      try {
        super.await();
      } catch (BackendException e) {
        // nobody needs to know
      }
    }
  }

  private static final class Unsure extends ForwardingBuffer {
    private boolean isOver = true;

    Unsure(StagingBuffer inner) {
      super(inner);
    }

    @Override
    public void await() {
      try {
        super.await();
      } catch (BackendException e) {
        isOver = false;
        throw e;
      }
    }

    @Override
    public boolean isOver() {
      return isOver;
    }
  }

  /** What was stored first is stored again by each look at its memory. */
  private static final class GoesOn extends ForwardingBuffer {
    private @Nullable Runnable again;
    private boolean hasFailed;

    GoesOn(StagingBuffer inner) {
      super(inner);
    }

    @Override
    public void store(long at, DeviceMemory target, long targetOffset, long length) {
      again = again == null ? () -> super.store(at, target, targetOffset, length) : again;
      super.store(at, target, targetOffset, length);
    }

    @Override
    public void await() {
      try {
        super.await();
      } catch (BackendException e) {
        hasFailed = true;
        throw e;
      }
    }

    @Override
    public MemorySegment memory() {
      if (hasFailed && again != null) {
        again.run();
        inner.await();
      }
      return super.memory();
    }
  }

  private static final class ClosesLater extends ForwardingBuffer {
    ClosesLater(StagingBuffer inner) {
      super(inner);
    }

    @Override
    public void close() {
      CompletableFuture<Void> _ =
          CompletableFuture.runAsync(
              inner::close, CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS));
    }
  }

  /** Has buffers used again, and one that is closed twice by two at once. */
  private static final class Shared extends ForwardingAccess {
    private final Map<String, Deque<StagingBuffer>> idle = new HashMap<>();

    Shared(DeviceAccess inner) {
      super(inner);
    }

    @Override
    public synchronized StagingBuffer stagingBuffer(Device device, long bytes) {
      Deque<StagingBuffer> alike =
          idle.computeIfAbsent(device + " " + bytes, _ -> new ArrayDeque<>());
      StagingBuffer used = alike.pollLast();
      return new ForwardingBuffer(used == null ? super.stagingBuffer(device, bytes) : used) {
        @Override
        public void close() {
          inner.await();
          synchronized (Shared.this) {
            alike.addLast(inner);
          }
        }
      };
    }
  }
}
