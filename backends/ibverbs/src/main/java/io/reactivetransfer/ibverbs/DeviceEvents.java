package io.reactivetransfer.ibverbs;

import io.reactivetransfer.ibverbs.ffi.AsyncEvent;
import io.reactivetransfer.ibverbs.ffi.GidInfo;
import io.reactivetransfer.ibverbs.ffi.Ib;
import io.reactivetransfer.ibverbs.ffi.PortInfo;
import org.jspecify.annotations.Nullable;

/** What a device says without being asked, and what that means to a NIC. */
final class DeviceEvents {

  /** How often the device is asked, a system call. */
  private static final long BETWEEN_LOOKS_NANOS = 10_000_000;

  /** How often it is asked for an address that it has lost, also without being told of a change. */
  private static final long AGAIN_NANOS = 1_000_000_000;

  private final OpenDevice device;
  private final Port port;
  private final Tasks tasks;
  private final CompletionReader reader;
  private final Connections connections;
  private long nextLookNanos = System.nanoTime();
  private boolean isUp = true;
  private boolean hasAddress = true;

  /** Its addresses have changed, so it is to be asked for them; or it is being asked. */
  private boolean mustAsk;

  private boolean isAsking;
  private long askedNanos;

  DeviceEvents(
      OpenDevice device, Port port, Tasks tasks, CompletionReader reader, Connections connections) {
    this.device = device;
    this.port = port;
    this.tasks = tasks;
    this.reader = reader;
    this.connections = connections;
  }

  /** Asks now and then, and more often where something is expected; returns how much it said. */
  int look(long now) {
    if (now - nextLookNanos < 0 && !connections.awaitEvents()) {
      return 0;
    }
    nextLookNanos = now + BETWEEN_LOOKS_NANOS;
    int taken = 0;
    for (AsyncEvent event = next(); event != null; event = next()) {
      taken++;
      happened(event);
    }
    if (!isAsking && (mustAsk || (!hasAddress && now - askedNanos > AGAIN_NANOS))) {
      askedNanos = now;
      ask();
    }
    return taken;
  }

  /** The last look: of all that it says, only whether it is gone is of any concern still. */
  void lookWhetherItIsGone() {
    for (AsyncEvent event = next(); event != null; event = next()) {
      if (event.type() == Ib.IBV_EVENT_DEVICE_FATAL) {
        device.gone();
      }
    }
  }

  /** Not on the NIC's thread: a device may take its time to say what its addresses are. */
  private void ask() {
    mustAsk = false;
    isAsking = true;
    tasks.run(
        this::hasItsAddress,
        has -> {
          isAsking = false;
          if (has != hasAddress) {
            hasAddress = has;
            changed();
          }
        },
        refusal -> {
          isAsking = false;
          mustAsk = true;
        });
  }

  private @Nullable AsyncEvent next() {
    return AsyncEvent.take(device.verbs, device.context());
  }

  private void happened(AsyncEvent event) {
    switch (event.type()) {
      case Ib.IBV_EVENT_PORT_ERR, Ib.IBV_EVENT_PORT_ACTIVE -> {
        if (event.port() == port.number()) {
          isUp = event.type() == Ib.IBV_EVENT_PORT_ACTIVE;
          mustAsk = true;
          changed();
        }
      }
      case Ib.IBV_EVENT_GID_CHANGE, Ib.IBV_EVENT_LID_CHANGE -> {
        if (event.port() == port.number()) {
          mustAsk = true;
        }
      }
      case Ib.IBV_EVENT_QP_FATAL -> connections.failed(event.element(), true);
      case Ib.IBV_EVENT_QP_REQ_ERR, Ib.IBV_EVENT_QP_ACCESS_ERR ->
          connections.failed(event.element(), false);
      case Ib.IBV_EVENT_QP_LAST_WQE_REACHED -> connections.hasTakenLastReceive(event.element());
      case Ib.IBV_EVENT_DEVICE_FATAL -> {
        device.gone();
        reader.broken(failed(event));
      }
      case Ib.IBV_EVENT_CQ_ERR, Ib.IBV_EVENT_SRQ_ERR -> reader.broken(failed(event));
      default -> {
        // of no concern to writes
      }
    }
  }

  /** Whether the port still has the address that peers were told. */
  private boolean hasItsAddress() {
    VerbsAddress own = port.address();
    GidInfo gid =
        GidInfo.of(device.verbs, device.context(), port.number(), port.gidIndex()).value();
    PortInfo info = PortInfo.of(device.verbs, device.context(), port.number()).value();
    return gid != null && gid.gid().equals(own.gid()) && info != null && info.lid() == own.lid();
  }

  private void changed() {
    if (!isUp) {
      connections.portDown("port " + port.name() + " is down: look at its link");
    } else if (!hasAddress) {
      connections.portDown(
          "port "
              + port.name()
              + " has lost its address "
              + port.address()
              + " (GID index "
              + port.gidIndex()
              + "): give it back to the network device, or open the engine anew");
    } else if (reader.broken() == null) {
      connections.portUp();
    }
  }

  private String failed(AsyncEvent event) {
    return port.name() + " has failed: " + device.verbs.ibv_event_type_str(event.type());
  }
}
