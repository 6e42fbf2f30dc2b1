package io.reactivetransfer.libfabric;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.ffm.Accelerators;
import io.reactivetransfer.libfabric.FabricMemory.Target;
import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.spi.BackendException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * The memory registered with one NIC.
 *
 * <p>A provider that moves bytes in this process looks at the registration when a write begins, and
 * then goes on: the registration may end, the memory may even be freed, and the rest of the write
 * lands. What ends that is closing the endpoint. So there each memory has an endpoint of its own,
 * opened when the first peer asks where to write.
 */
final class Regions {

  private static final Logger LOG = Loggers.getLogger(Regions.class);

  /** Memories that are looked at in each poll: so few that it costs nothing. */
  private static final int LOOKS = 4;

  /** Who has not looked for so long has been idle, and looks at all. */
  private static final long IDLE_NANOS = 1_000_000;

  private final OpenFabric fabric;
  private final Accelerators accelerators;
  private final Links links;
  private final RandomKeys random;
  private final boolean landingForEach;
  private final Map<Token, FabricMemory> byToken = new HashMap<>();

  /** What others may write to, in the order in which it is looked at; and what was until lately. */
  private final Queue<FabricMemory> open = new ArrayDeque<>();

  private long lookedNanos = System.nanoTime();
  private @Nullable Landing shared;

  Regions(
      OpenFabric fabric,
      Accelerators accelerators,
      Links links,
      RandomKeys random,
      boolean landingForEach) {
    this.fabric = fabric;
    this.accelerators = accelerators;
    this.links = links;
    this.random = random;
    this.landingForEach = landingForEach;
  }

  FabricMemory register(Memory memory, Access access) {
    return switch (memory) {
      case HostMemory host ->
          register(host.segment().scope(), Device.HOST, host.segment().address(), memory, access);
      case DeviceMemory of -> {
        requireReached(of.device());
        MemorySegment.Scope scope = accelerators.scope(of.device());
        if (!scope.isAlive()) {
          throw new BackendException(
              0, "expected memory of an accelerator that works, got some of " + of.device());
        }
        yield register(scope, of.device(), of.address(), memory, access);
      }
    };
  }

  private void requireReached(Device device) {
    if (!fabric.info.reachesDevices()) {
      throw new BackendException(
          0,
          "expected memory of the host, got memory of "
              + device
              + ", which provider "
              + fabric.info.provider()
              + " does not reach on "
              + fabric.info.domain());
    }
  }

  private FabricMemory register(
      MemorySegment.Scope scope, Device device, long address, Memory memory, Access access) {
    long length = memory.length();
    boolean isOfHost = device.equals(Device.HOST);
    long source = 0;
    long desc = 0;
    if (fabric.info.needs(isOfHost ? Fi.FI_MR_LOCAL : Fi.FI_MR_LOCAL | Fi.FI_MR_HMEM)) {
      source = pin(device, address, length, Fi.FI_WRITE);
      desc = fabric.lib.fi_mr_desc(source);
    }
    try {
      Target target = access.allowsRemoteWrite() ? openToOthers(device, address, length) : null;
      return remember(
          new FabricMemory(
              scope, device, address, length, access, random.token(), source, desc, target));
    } catch (RuntimeException e) {
      if (source != 0) {
        fabric.discard(source);
      }
      throw e;
    }
  }

  private FabricMemory remember(FabricMemory memory) {
    byToken.put(memory.token(), memory);
    if (memory.target() != null) {
      open.add(memory);
      if (open.size() > 2 * byToken.size() + LOOKS) { // many came and went between two rounds
        open.removeIf(Regions::isClosed);
      }
    }
    return memory;
  }

  private long pin(Device device, long address, long length, long access) {
    return device.equals(Device.HOST)
        ? fabric.register(address, length, access, wantedKey())
        : fabric.registerOfDevice(
            DeviceKind.of(device), device.ordinal(), address, length, access, wantedKey());
  }

  private Target openToOthers(Device device, long address, long length) {
    long registration = pin(device, address, length, Fi.FI_REMOTE_WRITE);
    if (!device.equals(Device.HOST)) {
      try {
        accelerators.opened(device);
      } catch (RuntimeException e) {
        fabric.discard(registration);
        throw e;
      }
    }
    long base = fabric.info.needs(Fi.FI_MR_VIRT_ADDR) ? address : 0;
    Target target = new Target(registration, fabric.lib.fi_mr_key(registration), base);
    if (fabric.info.needs(Fi.FI_MR_ENDPOINT)) {
      try {
        fabric.bind(registration, landingOf(target).id());
      } catch (RuntimeException e) {
        fabric.discard(registration);
        if (landingForEach && target.landing != null) {
          closeIfPossible(target.landing);
        }
        throw e;
      }
    }
    return target;
  }

  /** Hard to guess, as far as the provider's keys are long enough. */
  private long wantedKey() {
    long bits = Math.min(Long.SIZE, Byte.SIZE * fabric.info.keyBytes());
    return bits == Long.SIZE ? random.next() : random.next() & (1L << bits) - 1;
  }

  /**
   * Opens an endpoint and closes it, where each memory will have one: a provider may install
   * handlers of signals with the first one of the process, and later nobody would put the JVM's
   * back.
   *
   * @throws BackendException if none can be opened
   */
  void tryToListen() {
    if (landingForEach) {
      links.close(links.listen());
    }
  }

  /** The memory under a token, or null. */
  @Nullable FabricMemory find(Token token) {
    return byToken.get(token);
  }

  /**
   * What a peer must be told of the endpoint where it may write to this memory.
   *
   * @throws BackendException if no endpoint can be opened
   */
  byte[] admit(FabricPeer peer, Target target) {
    return links.admit(peer, landingOf(target));
  }

  /** Where others write to this memory. */
  Landing landingOf(Target target) {
    Landing landing = target.landing;
    if (landing == null) {
      landing = landingForEach ? links.listen() : sharedLanding();
      target.landing = landing;
    }
    return landing;
  }

  private Landing sharedLanding() {
    Landing landing = shared;
    if (landing == null) {
      landing = links.listen();
      shared = landing;
    }
    return landing;
  }

  /**
   * The same memory under another token and key; under the old ones nothing lands any more.
   *
   * @throws BackendException if the provider refuses to close the old way, or to open a new one; it
   *     may be tried again
   */
  FabricMemory revoke(FabricMemory old) {
    byToken.remove(old.token());
    Target target = old.target();
    if (target != null) {
      close(target);
      if (old.isAlive()) { // else it stays closed: at this address may be another's memory
        target = openToOthers(old.device(), old.address(), old.length());
      }
    }
    return remember(
        new FabricMemory(
            old.scope(),
            old.device(),
            old.address(),
            old.length(),
            old.access(),
            random.token(),
            old.source(),
            old.desc(),
            target));
  }

  /**
   * Ends a registration.
   *
   * @throws BackendException if the provider refuses to close what belongs to it
   */
  void remove(FabricMemory memory) {
    byToken.remove(memory.token());
    if (memory.target() != null) {
      close(memory.target());
    }
    if (memory.source() != 0) {
      fabric.close(memory.source());
    }
  }

  /**
   * First the endpoint: it ends what is half-way in. Where that is refused, the registration is
   * closed all the same, so that nothing new begins, and then the endpoint is tried again: it may
   * have been busy with the registration. What is open still can be closed again.
   */
  private void close(Target target) {
    BackendException refusal = null;
    try {
      closeLanding(target);
    } catch (BackendException e) {
      refusal = e;
    }
    closeRegistration(target);
    if (refusal != null) {
      closeLanding(target);
    }
  }

  private void closeRegistration(Target target) {
    if (target.registration != 0) {
      fabric.close(target.registration);
      target.registration = 0;
    }
  }

  private void closeLanding(Target target) {
    if (landingForEach && target.landing != null) {
      links.close(target.landing);
      target.landing = null;
    }
  }

  /**
   * Closes to others what the application has freed, before the provider writes there. A few are
   * looked at in each poll, and all in the first one after a pause.
   */
  void closeFreed(long now) {
    boolean all = accelerators.takeFailure() || now - lookedNanos > IDLE_NANOS;
    int looks = all ? open.size() : Math.min(LOOKS, open.size());
    lookedNanos = now;
    for (; looks > 0; looks--) {
      FabricMemory memory = open.remove();
      Target target = memory.target();
      if (target == null || isClosed(memory)) {
        continue;
      }
      if (memory.isAlive() || !closeFreed(memory, target)) {
        open.add(memory);
      }
    }
  }

  /** To others: it was revoked, deregistered, or found to be freed. */
  private static boolean isClosed(FabricMemory memory) {
    Target target = memory.target();
    return target == null || target.registration == 0;
  }

  private boolean closeFreed(FabricMemory memory, Target target) {
    try {
      close(target);
    } catch (BackendException e) {
      return false; // it is tried again
    }
    LOG.warn(
        "{} bytes were freed although they are registered, or their accelerator has failed; others"
            + " cannot write there any more: close a region before its arena",
        memory.length());
    return true;
  }

  /** Closes all endpoints, and with them what is half-way in; registrations go with the fabric. */
  void close() {
    for (FabricMemory memory : byToken.values()) {
      Target target = memory.target();
      if (landingForEach && target != null && target.landing != null) {
        closeIfPossible(target.landing);
      }
    }
    if (shared != null) {
      closeIfPossible(shared);
    }
    byToken.clear();
    open.clear();
  }

  private void closeIfPossible(Landing landing) {
    try {
      links.close(landing);
    } catch (BackendException e) {
      // Closing the fabric tries again, and says so if that fails, too.
    }
  }
}
