package io.reactivetransfer.ibverbs;

import static io.reactivetransfer.ibverbs.VerbsLibrary.require;

import io.reactivetransfer.Access;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.ffm.Accelerators;
import io.reactivetransfer.ibverbs.VerbsMemory.Target;
import io.reactivetransfer.ibverbs.ffi.Handles;
import io.reactivetransfer.ibverbs.ffi.Ib;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntPredicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * The memory registered with one NIC. Registering pins pages, which takes long for much memory, so
 * it is done by threads of its own. The NIC looks at the key of each packet, so a write that is
 * half-way in ends when the registration does.
 */
final class Regions {

  private static final Logger LOG = Loggers.getLogger(Regions.class);

  /** Memories that are looked at in each poll: so few that it costs nothing. */
  private static final int LOOKS = 4;

  /** Who has not looked for so long has been idle, and looks at all. */
  private static final long IDLE_NANOS = 1_000_000;

  /** What was refused is tried again after so long. */
  private static final long RETRY_NANOS = 10_000_000;

  /** What packets bring is put into memory in any order, but before their completion is. */
  private static final int FOR_OTHERS =
      Ib.IBV_ACCESS_LOCAL_WRITE | Ib.IBV_ACCESS_REMOTE_WRITE | Ib.IBV_ACCESS_RELAXED_ORDERING;

  /** Of an address for others, so many bits are used, so that no region reaches beyond 64. */
  private static final int ADDRESS_BITS = 62;

  /**
   * Of an address, so many last bits are the same for others: cards have tables of pages, which may
   * be as large as 2 MiB, or 1 GiB where memory looks like it.
   */
  private static final int PAGE_BITS = 21;

  private static final int LARGE_PAGE_BITS = 30;

  private final OpenDevice device;
  private final Accelerators accelerators;
  private final Tasks tasks;
  private final RandomGenerator random;
  private final CompletionReader reader;

  /** What the NIC has by now, for whoever closes it; threads of tasks change it. */
  private final Set<Long> registrations = ConcurrentHashMap.newKeySet();

  /** What was opened to others lately; threads of tasks add to it. */
  private final Queue<VerbsMemory> opened = new ConcurrentLinkedQueue<>();

  /** What others may write to, in the order in which it is looked at; and what was until lately. */
  private final Queue<VerbsMemory> open = new ArrayDeque<>();

  /** What could not be closed to others, to be tried again at {@link #againNanos}. */
  private final Queue<VerbsMemory> again = new ArrayDeque<>();

  private long againNanos;
  private long lookedNanos = System.nanoTime();

  /**
   * None yet.
   *
   * @param accelerators whose memory it takes, too
   * @param random for the addresses that peers are told; safe from any thread
   * @param reader told when a key has ended
   */
  Regions(
      OpenDevice device,
      Accelerators accelerators,
      Tasks tasks,
      RandomGenerator random,
      CompletionReader reader) {
    this.device = device;
    this.accelerators = accelerators;
    this.tasks = tasks;
    this.random = random;
    this.reader = reader;
  }

  CompletionStage<VerbsMemory> register(Memory memory, Access access) {
    MemorySegment.Scope scope =
        switch (memory) {
          case HostMemory host -> host.segment().scope();
          case DeviceMemory of -> accelerators.scope(of.device());
        };
    VerbsMemory none = new VerbsMemory(memory, scope, access, 0, 0, null);
    return tasks.begin(() -> remember(register(none)));
  }

  private VerbsMemory register(VerbsMemory none) {
    if (device.isGone()) { // nobody can do anything with it
      return none;
    }
    long source = pin(none.memory(), none.address(), 0);
    try {
      Target target = none.access().allowsRemoteWrite() ? openToOthers(none) : null;
      requireAlive(none, target);
      return new VerbsMemory(
          none.memory(), none.scope(), none.access(), source, Handles.lkey(source), target);
    } catch (RuntimeException e) {
      unpin(source);
      throw e;
    }
  }

  /** What is alive now was so when it was pinned: before, its address may have become another's. */
  private void requireAlive(VerbsMemory memory, @Nullable Target target) {
    if (!memory.isAlive()) {
      if (target != null) {
        closeToOthers(target);
      }
      throw new BackendException(
          0,
          "expected memory that lives as long as its region, got "
              + memory.length()
              + " bytes that were freed while they were registered, or whose accelerator has"
              + " failed");
    }
  }

  private long pin(Memory memory, long named, int access) {
    return switch (memory) {
      case HostMemory host -> pin(host.segment(), named, access);
      case DeviceMemory of -> {
        DeviceAccess reached = accelerators.access(of.device());
        yield DevicePinning.pin(device, reached, of, named, access, registrations::add);
      }
    };
  }

  private long pin(MemorySegment host, long named, int access) {
    long mr =
        require(
            "ibv_reg_mr_iova2",
            device.verbs.ibv_reg_mr_iova2(
                device.pd(), host.address(), host.byteSize(), named, access));
    registrations.add(mr);
    return mr;
  }

  /** By a thread of a task, while the NIC's reads what the device says. */
  private void unpin(long mr) {
    unpin(mr, device::isDoneSoon);
  }

  private void unpin(long mr, IntPredicate isDone) {
    registrations.remove(mr); // before its number can be another one's
    int result = device.verbs.ibv_dereg_mr(mr);
    if (!isDone.test(result)) {
      registrations.add(mr);
      throw VerbsLibrary.failure("ibv_dereg_mr", result);
    }
  }

  /**
   * Cards give out the key of a registration that has ended again, soon and unchanged: ConnectX the
   * last one first, so that memory revoked twice would have its first key again. So each time it
   * begins at another address for others, and what they were told before is out of its bounds.
   */
  private Target openToOthers(VerbsMemory memory) {
    long address = memory.address();
    long length = memory.length();
    long large = 1L << LARGE_PAGE_BITS;
    boolean isLarge = address % large == 0 && length >= large;
    int same = isLarge ? LARGE_PAGE_BITS : PAGE_BITS;
    long named =
        (random.nextLong(1L << (ADDRESS_BITS - same)) << same) | (address & ((1L << same) - 1));
    if (memory.memory() instanceof DeviceMemory of) {
      accelerators.opened(of.device());
    }
    long mr = pin(memory.memory(), named, FOR_OTHERS);
    return new Target(mr, new VerbsMemory.Key(named, Handles.rkey(mr)));
  }

  private VerbsMemory remember(VerbsMemory memory) {
    Target target = memory.target();
    if (target != null && !target.isClosed()) {
      opened.add(memory);
    }
    return memory;
  }

  /** The same memory under another key; under the old one nothing lands any more. */
  CompletionStage<VerbsMemory> revoke(VerbsMemory old) {
    return tasks.begin(() -> remember(renamed(old)));
  }

  /**
   * The new key is made first, which nobody knows yet: if it cannot be had, or the old one not be
   * ended, the old one stays the present one. What others may not write to any more, because it was
   * freed, stays closed: at its address may be another's memory.
   */
  private VerbsMemory renamed(VerbsMemory old) {
    Target before = old.target();
    if (before == null) {
      return old.withTarget(null);
    }
    if (!old.isAlive() || device.isGone()) {
      closeToOthers(before);
      return old.withTarget(before);
    }
    Target next = openToOthers(old);
    try {
      if (!old.isAlive()) { // at its address may be another's memory
        closeToOthers(next);
      }
      closeToOthers(before);
    } catch (BackendException e) {
      Closing.after(e, () -> closeToOthers(next), () -> {});
      throw e;
    }
    return old.withTarget(next);
  }

  private void closeToOthers(Target target) {
    synchronized (target) {
      if (!target.isClosed()) {
        unpin(target.mr());
        target.closed();
        reader.readAllOnce();
      }
    }
  }

  CompletionStage<Void> deregister(VerbsMemory memory) {
    return tasks
        .beginSurely(() -> {
          if (memory.target() != null) {
            closeToOthers(memory.target());
          }
          if (memory.source() != 0) {
            unpin(memory.source());
          }
          return memory;
        })
        .thenAccept(gone -> {});
  }

  /**
   * Closes to others what the application has freed. Its pages are pinned, so nothing of anybody
   * else's is written; but whoever writes there must be told. A few are looked at in each poll, and
   * all in the first one after a pause.
   */
  void closeFreed(long now) {
    for (VerbsMemory next = opened.poll(); next != null; next = opened.poll()) {
      open.add(next);
    }
    if (!again.isEmpty() && now - againNanos >= 0) {
      open.addAll(again);
      again.clear();
    }
    boolean all = accelerators.takeFailure() || now - lookedNanos > IDLE_NANOS;
    int looks = all ? open.size() : Math.min(LOOKS, open.size());
    lookedNanos = now;
    for (; looks > 0; looks--) {
      VerbsMemory memory = open.remove();
      Target target = memory.target();
      if (target == null || target.isClosed()) {
        continue;
      }
      if (memory.isAlive()) {
        open.add(memory);
      } else {
        closeFreed(memory, target);
      }
    }
  }

  private void closeFreed(VerbsMemory memory, Target target) {
    tasks.run(
        () -> {
          closeToOthers(target);
          return target;
        },
        closed ->
            LOG.warn(
                "{} bytes were freed although they are registered, or their accelerator has failed;"
                    + " others cannot write there any more: close a region before its arena",
                memory.length()),
        refusal -> {
          again.add(memory);
          againNanos = System.nanoTime() + RETRY_NANOS;
        });
  }

  /**
   * Ends all registrations; the tasks have ended.
   *
   * @throws BackendException if some cannot be ended; the others are
   */
  void close() {
    open.clear();
    Closing.each(Set.copyOf(registrations), mr -> unpin(mr, device::isDone));
    accelerators.close();
  }
}
