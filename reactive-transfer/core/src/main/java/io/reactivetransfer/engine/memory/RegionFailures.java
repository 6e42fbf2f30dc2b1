package io.reactivetransfer.engine.memory;

import io.reactivetransfer.Device;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Nics;
import io.reactivetransfer.engine.base.NotClosed;
import io.reactivetransfer.engine.base.Signals;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.Devices;
import java.util.List;
import java.util.Set;

/** What may be wrong with memory, or with NICs that are to register it, and what it says. */
final class RegionFailures {

  private RegionFailures() {}

  /** A NIC looks at addresses only, and many take one at which there is nothing any more. */
  static void requireAlive(Memory memory) {
    if (memory instanceof HostMemory host && !host.segment().scope().isAlive()) {
      throw new TransferRejectedException(
          "expected memory whose arena is open, got "
              + memory.length()
              + " bytes of one that was closed; register them before, and close the region first");
    }
  }

  /** Where nothing here reaches the accelerator at all, such as for want of a driver, says that. */
  static void requireReached(Nics nics, Devices all, Memory memory) {
    for (int nic = 0; nic < nics.size(); nic++) {
      Set<Device> devices = nics.domains()[nic].capabilities().devices();
      if (!devices.contains(memory.device())) {
        throw new TransferRejectedException(
            "expected memory that every NIC reaches, got some of device "
                + memory.device()
                + ", where NIC "
                + nics.name(nic)
                + " reaches "
                + devices
                + "; "
                + remedy(all, memory.device()),
            nics.origin(nic, 0),
            null);
      }
    }
  }

  private static String remedy(Devices all, Device device) {
    if (!device.equals(Device.HOST)) {
      try {
        DeviceAccess _ = all.access(device);
      } catch (BackendException e) {
        return Signals.textOf(e);
      }
    }
    return "copy it to memory of one of these, or use a backend that reaches it";
  }

  /** Where something went wrong. */
  static Origin origin(Nics nics, Registration.Failure failure) {
    return nics.origin(failure.nic(), NotClosed.code(failure.reason()));
  }

  /** What is to be said of NICs that do not give up again what they have registered. */
  static String kept(Nics nics, List<Registration.Failure> kept) {
    StringBuilder text = new StringBuilder();
    for (Registration.Failure each : kept) {
      text.append("; NIC ")
          .append(nics.name(each.nic()))
          .append(" does not give it up again: ")
          .append(NotClosed.describe(each.reason()))
          .append("; neither free nor reuse it before close() of the engine has completed");
    }
    return text.toString();
  }

  /** Its descriptor may still be good for writes. */
  static TransferFailedException notRevoked(
      Nics nics, RegisteredRegion region, Registration.Failure failure) {
    return new TransferFailedException(
        notRevokedText(nics, region, failure), origin(nics, failure), failure.reason());
  }

  /** The same in words. */
  static String notRevokedText(Nics nics, RegisteredRegion region, Registration.Failure failure) {
    return "NIC "
        + nics.name(failure.nic())
        + " could not revoke a "
        + region
        + ": "
        + NotClosed.describe(failure.reason())
        + "; writes under the descriptor from before may still land through it, and the"
        + " present descriptor may be no other there: revoke again, or close the region";
  }
}
