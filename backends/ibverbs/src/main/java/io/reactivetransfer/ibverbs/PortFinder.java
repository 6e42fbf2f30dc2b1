package io.reactivetransfer.ibverbs;

import static io.reactivetransfer.ibverbs.VerbsLibrary.require;

import io.reactivetransfer.ffm.ffi.Raw;
import io.reactivetransfer.ibverbs.ffi.DeviceInfo;
import io.reactivetransfer.ibverbs.ffi.Gid;
import io.reactivetransfer.ibverbs.ffi.GidInfo;
import io.reactivetransfer.ibverbs.ffi.Handles;
import io.reactivetransfer.ibverbs.ffi.Handles.Device;
import io.reactivetransfer.ibverbs.ffi.Ib;
import io.reactivetransfer.ibverbs.ffi.PortInfo;
import io.reactivetransfer.ibverbs.ffi.Result;
import io.reactivetransfer.ibverbs.ffi.Verbs;
import io.reactivetransfer.spi.BackendException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks for ports that can be NICs, and says of the others why they are not. */
final class PortFinder {

  private final Verbs verbs;
  private final VerbsSettings settings;

  /** With each of their addresses, the best of each first. */
  private final List<Port> all = new ArrayList<>();

  /** With the one that they have if nobody asks for another. */
  private final List<Port> ports = new ArrayList<>();

  private final List<String> refused = new ArrayList<>();

  private PortFinder(Verbs verbs, VerbsSettings settings) {
    this.verbs = verbs;
    this.settings = settings;
  }

  /**
   * What was found.
   *
   * @param ports at least one, in the order in which the library lists their devices, or in that in
   *     which they were asked for
   * @param refused why others are not used, one line each
   * @param unused further addresses of these ports, which are good for more than the link
   */
  record Found(List<Port> ports, List<String> refused, List<Port> unused) {}

  /**
   * Looks.
   *
   * @throws BackendException if there is none, with what was found instead
   */
  static Found find(Verbs verbs, VerbsSettings settings) {
    PortFinder finder = new PortFinder(verbs, settings);
    withDevices(
        verbs,
        device -> {
          finder.look(device);
          return null;
        });
    List<Port> wanted = new ArrayList<>(finder.ports);
    if (!settings.devices().isEmpty()) {
      wanted = finder.inOrder();
    }
    if (wanted.isEmpty()) {
      throw new BackendException(
          0,
          finder.refused.isEmpty()
              ? "libibverbs lists no device"
              : "no port can be used: " + String.join("; ", finder.refused));
    }
    return new Found(List.copyOf(wanted), List.copyOf(finder.refused), finder.unusedBeside(wanted));
  }

  private List<Port> unusedBeside(List<Port> used) {
    return all.stream()
        .filter(each -> used.stream().anyMatch(one -> one.portName().equals(each.portName())))
        .filter(each -> used.stream().noneMatch(each::isSameAs))
        .filter(each -> !each.address().gid().isLinkLocal())
        .toList();
  }

  /** As they were asked for; each must be there. */
  private List<Port> inOrder() {
    List<Port> wanted = new ArrayList<>();
    for (String text : settings.devices()) {
      PortName name = named(text);
      Port found =
          (name.address() == null ? ports : all)
              .stream().filter(name::isOf).findFirst().orElseThrow(() -> notThere(text));
      if (wanted.stream().anyMatch(each -> each.isSameAs(found))) {
        throw new BackendException(
            0, "expected each address of a port once, got " + found.nameWithAddress() + " again");
      }
      wanted.add(name.address() == null ? found : found.asOneOfSeveral());
    }
    return wanted;
  }

  private static PortName named(String text) {
    try {
      return PortName.of(text);
    } catch (IllegalArgumentException e) { // of a system property
      throw new BackendException(0, String.valueOf(e.getMessage()), e);
    }
  }

  private BackendException notThere(String name) {
    return new BackendException(
        0,
        "expected a device "
            + name
            + ", got "
            + (all.isEmpty() ? "none" : all.stream().map(Port::nameWithAddress).toList())
            + (refused.isEmpty() ? "" : " (" + String.join("; ", refused) + ")"));
  }

  /** What is done with an open device. */
  interface Use<T> {
    @Nullable T with(Device device);
  }

  /** The first thing that a device gives; null if none does. */
  static <T> @Nullable T withDevices(Verbs verbs, Use<T> use) {
    try (Arena arena = Arena.ofConfined()) {
      long count = arena.allocate(ValueLayout.JAVA_INT).address();
      long list = require("ibv_get_device_list", verbs.ibv_get_device_list(count));
      try {
        for (Device device : Handles.devices(verbs, list, Raw.getInt(count))) {
          T got = use.with(device);
          if (got != null) {
            return got;
          }
        }
        return null;
      } finally {
        verbs.ibv_free_device_list(list);
      }
    }
  }

  private void look(Device device) {
    long context = verbs.ibv_open_device(device.address());
    if (context < 0) {
      refused.add(
          device.name() + ": " + VerbsLibrary.failure("ibv_open_device", context).getMessage());
      return;
    }
    try {
      DeviceInfo info = valueOf(device.name(), "ibv_query_device", DeviceInfo.of(verbs, context));
      for (int number = 1; info != null && number <= info.ports(); number++) {
        look(device.name(), context, number, info.ports());
      }
    } finally {
      int result = verbs.ibv_close_device(context);
      if (result < 0) {
        refused.add(
            device.name()
                + " stays open: "
                + VerbsLibrary.failure("ibv_close_device", result).getMessage());
      }
    }
  }

  private <T> @Nullable T valueOf(String name, String call, Result<T> result) {
    if (result.value() == null) {
      refused.add(name + ": " + VerbsLibrary.failure(call, result.error()).getMessage());
    }
    return result.value();
  }

  private void look(String device, long context, int number, int count) {
    String name = Port.name(device, number, count);
    PortInfo info = valueOf(name, "ibv_query_port", PortInfo.of(verbs, context, number));
    if (info == null) {
      return;
    }
    if (info.state() != Ib.IBV_PORT_ACTIVE) {
      refused.add(name + " is not active: is its network device up, and its cable in?");
      return;
    }
    PortAddresses addresses = PortAddresses.of(verbs, context, number, info);
    List<Port> found =
        addresses.entries().stream()
            .map(entry -> port(device, number, count, info, entry.index(), entry.gid()))
            .toList();
    all.addAll(found);
    if (settings.gidIndex().isPresent()) {
      int index = settings.gidIndex().getAsInt();
      GidInfo gid = valueOf(name, "ibv_query_gid_ex", GidInfo.of(verbs, context, number, index));
      if (gid != null
          && info.linkLayer() == Ib.IBV_LINK_LAYER_ETHERNET
          && gid.type() != Ib.IBV_GID_TYPE_ROCE_V2) {
        refused.add(
            name
                + ": expected an address (GID) of RoCE v2 at index "
                + index
                + ", got one of another type: take another index;"
                + " ibv_devinfo -v lists them");
      } else if (gid != null) {
        ports.add(port(device, number, count, info, index, gid.gid()));
      }
    } else if (found.isEmpty()) {
      refused.add(
          name
              + (info.linkLayer() == Ib.IBV_LINK_LAYER_ETHERNET
                  ? " has no address (GID) of RoCE v2: give its network device an IP address;"
                  : " has no first address (GID): is there a subnet manager?")
              + " ibv_devinfo -v lists them");
    } else {
      ports.add(found.getFirst());
    }
  }

  private static Port port(
      String device, int number, int count, PortInfo info, int index, Gid gid) {
    return new Port(
        device,
        number,
        count,
        index,
        new VerbsAddress(info.linkLayer(), info.mtu(), info.lid(), gid),
        info.maxMessageBytes(),
        info.bitsPerSecond(),
        false);
  }
}
