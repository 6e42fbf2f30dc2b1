package io.reactivetransfer.tck;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Accesses with a defect, but for those whose staging buffers have it. */
final class DeviceSaboteurs {

  private static final long WORD = Long.BYTES;

  static final List<DeviceSaboteur> ALL =
      List.of(
          new DeviceSaboteur("28.1", "names the host, too", NamesTheHost::new),
          new DeviceSaboteur("28.2", "describes a device in two lines", TalksMuch::new),
          new DeviceSaboteur("28.3", "has PCI addresses in capitals", InCapitals::new),
          new DeviceSaboteur("28.4", "is equal to any access", LikeAnyOther::new),
          new DeviceSaboteur("28.5", "copies whole words only", InWords::new),
          new DeviceSaboteur("28.5", "copies on another thread", Elsewhere::new),
          new DeviceSaboteur("28.6", "returns when a long copy has begun", TooEarly::new),
          new DeviceSaboteur("28.7", "has one buffer for all threads", OneForAll::new),
          new DeviceSaboteur("28.8", "waits for the application's work", BehindTheOthers::new),
          new DeviceSaboteur("28.9", "loses the last byte between devices", CutShort::new)
              .entailing("28.7"), // which also copies from one to the other
          new DeviceSaboteur("28.10", "refuses ranges that overlap", NoOverlap::new),
          new DeviceSaboteur("28.11", "throws what it likes", ThrowsAnything::new),
          new DeviceSaboteur("28.11", "does nothing more after a refusal", GivesUp::new)
              .entailing("28.12"),
          new DeviceSaboteur("28.12", "goes by the address alone", ByAddress::new),
          new DeviceSaboteur("28.19", "tells the word of the last time", Remembers::new),
          new DeviceSaboteur("28.20", "makes an object for each word", Wasteful::new),
          new DeviceSaboteur("28.21", "is open to NICs, in no way", OpenInNoWay::new),
          new DeviceSaboteur("28.22", "leaves open what it has exported", LeavesOpen::new),
          new DeviceSaboteur("28.22", "exports what was freed", ExportsAnything::new),
          new DeviceSaboteur("28.23", "refuses to flush", NoFlush::new));

  private DeviceSaboteurs() {}

  private static final class NamesTheHost extends ForwardingAccess {
    NamesTheHost(DeviceAccess inner) {
      super(inner);
    }

    @Override
    public List<Device> devices() {
      List<Device> all = new ArrayList<>(super.devices());
      all.add(Device.HOST);
      return all;
    }
  }

  private static final class TalksMuch extends ForwardingAccess {
    TalksMuch(DeviceAccess inner) {
      super(inner);
    }

    @Override
    public String describe(Device device) {
      return super.describe(device) + "\nof which there is much to say";
    }
  }

  private static final class InCapitals extends ForwardingAccess {
    InCapitals(DeviceAccess inner) {
      super(inner);
    }

    @Override
    public @Nullable String pciAddress(Device device) {
      return Objects.requireNonNull(super.pciAddress(device)).toUpperCase(Locale.ROOT);
    }
  }

  private static final class LikeAnyOther extends ForwardingAccess {
    LikeAnyOther(DeviceAccess inner) {
      super(inner);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof DeviceAccess;
    }

    @Override
    public int hashCode() {
      return 1;
    }
  }

  private static final class InWords extends ForwardingAccess {
    InWords(DeviceAccess inner) {
      super(inner);
    }

    @Override
    public void copyFromHost(MemorySegment from, long at, DeviceMemory to, long toAt, long length) {
      long room = Math.min(from.byteSize() - at, to.length() - toAt);
      super.copyFromHost(from, at, to, toAt, Math.min(room, (length + WORD - 1) & -WORD));
    }
  }

  private static final class Elsewhere extends ForwardingAccess {
    Elsewhere(DeviceAccess inner) {
      super(inner);
    }

    @Override
    public void copyToHost(DeviceMemory from, long at, MemorySegment to, long toAt, long length) {
      try {
        CompletableFuture.runAsync(() -> inner.copyToHost(from, at, to, toAt, length)).join();
      } catch (CompletionException e) {
        throw e.getCause() instanceof RuntimeException known ? known : e;
      }
    }
  }

  private static final class TooEarly extends ForwardingAccess {
    private static final int LONG = 2 << 20;

    TooEarly(DeviceAccess inner) {
      super(inner);
    }

    @Override
    public void copyFromHost(MemorySegment from, long at, DeviceMemory to, long toAt, long length) {
      if (length < LONG) {
        super.copyFromHost(from, at, to, toAt, length);
        return;
      }
      CompletableFuture<Void> _ =
          CompletableFuture.runAsync(
              () -> inner.copyFromHost(from, at, to, toAt, length),
              CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS));
    }
  }

  /** Two threads that are in it at once have what the second one has put there. */
  private static final class OneForAll extends ForwardingAccess {
    private final MemorySegment buffer = Arena.ofAuto().allocate(4 << 20);
    private final CyclicBarrier two = new CyclicBarrier(2);

    OneForAll(DeviceAccess inner) {
      super(inner);
    }

    @Override
    public void copyFromHost(MemorySegment from, long at, DeviceMemory to, long toAt, long length) {
      MemorySegment.copy(from, at, buffer, 0, length);
      if (Thread.currentThread().getName().matches("tck-device-[1-9]") && !two.isBroken()) {
        meet();
      }
      super.copyFromHost(buffer, 0, to, toAt, length);
    }

    private void meet() {
      try {
        two.await(5, TimeUnit.SECONDS);
      } catch (Exception e) {
        // nobody else has come
      }
    }
  }

  private static final class BehindTheOthers extends ForwardingAccess {
    BehindTheOthers(DeviceAccess inner) {
      super(inner);
    }

    @Override
    public void copyToHost(DeviceMemory from, long at, MemorySegment to, long toAt, long length) {
      FakeCards.awaitWork();
      super.copyToHost(from, at, to, toAt, length);
    }
  }

  private static final class CutShort extends ForwardingAccess {
    CutShort(DeviceAccess inner) {
      super(inner);
    }

    @Override
    public void copy(DeviceMemory from, long at, DeviceMemory to, long toAt, long length) {
      long lost = length > 0 && !from.device().equals(to.device()) ? 1 : 0;
      super.copy(from, at, to, toAt, length - lost);
    }
  }

  private static final class NoOverlap extends ForwardingAccess {
    NoOverlap(DeviceAccess inner) {
      super(inner);
    }

    @Override
    public void copy(DeviceMemory from, long at, DeviceMemory to, long toAt, long length) {
      long apart = Math.abs(from.address() + at - to.address() - toAt);
      if (from.device().equals(to.device()) && apart < length) {
        throw new BackendException(0, "expected ranges that are apart, got " + apart);
      }
      super.copy(from, at, to, toAt, length);
    }
  }

  private static final class ThrowsAnything extends ForwardingAccess {
    ThrowsAnything(DeviceAccess inner) {
      super(inner);
    }

    @Override
    public void copyToHost(DeviceMemory from, long at, MemorySegment to, long toAt, long length) {
      try {
        super.copyToHost(from, at, to, toAt, length);
      } catch (BackendException e) {
        throw devices().contains(from.device()) ? new IllegalStateException(e) : e;
      }
    }
  }

  private static final class GivesUp extends ForwardingAccess {
    private @Nullable BackendException refusal;

    GivesUp(DeviceAccess inner) {
      super(inner);
    }

    @Override
    public void copyToHost(DeviceMemory from, long at, MemorySegment to, long toAt, long length) {
      if (refusal != null) {
        throw refusal;
      }
      try {
        super.copyToHost(from, at, to, toAt, length);
      } catch (BackendException e) {
        refusal = e;
        throw e;
      }
    }
  }

  private static final class ByAddress extends ForwardingAccess {
    ByAddress(DeviceAccess inner) {
      super(inner);
    }

    @Override
    public void copyFromHost(MemorySegment from, long at, DeviceMemory to, long toAt, long length) {
      Device device = devices().contains(to.device()) ? to.device() : devices().getFirst();
      DeviceMemory taken = new DeviceMemory(device, to.address(), to.length());
      super.copyFromHost(from, at, taken, toAt, length);
    }
  }

  private static final class Remembers extends ForwardingAccess {
    private long address;
    private long word;

    Remembers(DeviceAccess inner) {
      super(inner);
    }

    @Override
    public long peek(DeviceMemory memory, long offset) {
      if (address != memory.address() + offset) {
        word = super.peek(memory, offset);
        address = memory.address() + offset;
      }
      return word;
    }
  }

  private static final class Wasteful extends ForwardingAccess {
    private volatile long[] words = {};

    Wasteful(DeviceAccess inner) {
      super(inner);
    }

    @Override
    public long peek(DeviceMemory memory, long offset) {
      words = new long[] {super.peek(memory, offset)};
      return words[0];
    }
  }

  private static final class OpenInNoWay extends ForwardingAccess {
    OpenInNoWay(DeviceAccess inner) {
      super(inner);
    }

    @Override
    public boolean isOpenToNics(Device device) {
      return true;
    }
  }

  private static final class LeavesOpen extends ForwardingAccess {
    /** Else the collector would close them. */
    private final List<DmaBuf> open = new CopyOnWriteArrayList<>();

    LeavesOpen(DeviceAccess inner) {
      super(inner);
    }

    @Override
    public DmaBuf exportDmaBuf(DeviceMemory memory) {
      DmaBuf exported = super.exportDmaBuf(memory);
      open.add(exported);
      return new DmaBuf() {
        @Override
        public int descriptor() {
          return exported.descriptor();
        }

        @Override
        public long offset() {
          return exported.offset();
        }

        @Override
        public void close() {
          // and it stays
        }
      };
    }
  }

  private static final class ExportsAnything extends ForwardingAccess {
    ExportsAnything(DeviceAccess inner) {
      super(inner);
    }

    @Override
    public DmaBuf exportDmaBuf(DeviceMemory memory) {
      return isOpenToNics(memory.device()) ? FakeCards.Exported.open() : super.exportDmaBuf(memory);
    }
  }

  private static final class NoFlush extends ForwardingAccess {
    NoFlush(DeviceAccess inner) {
      super(inner);
    }

    @Override
    public void flush(Device device) {
      throw new BackendException(0, "expected nobody to ask for that");
    }
  }
}
