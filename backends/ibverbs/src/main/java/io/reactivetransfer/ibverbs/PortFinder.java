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
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Looks for ports that can be NICs, and says of the others why they are not. */
final class PortFinder {

  /** More than any card has. */
  private static final int MOST_GIDS = 1_024;

  private final Verbs verbs;
  private final VerbsSettings settings;
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
   */
  record Found(List<Port> ports, List<String> refused) {}

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
    return new Found(List.copyOf(wanted), List.copyOf(finder.refused));
  }

  /** As they were asked for; each must be there. */
  private List<Port> inOrder() {
    List<Port> wanted = new ArrayList<>();
    for (String name : settings.devices()) {
      wanted.add(
          ports.stream()
              .filter(port -> port.name().equals(name) || port.device().equals(name))
              .findFirst()
              .orElseThrow(() ->
                  new BackendException(
                      0,
                      "expected a device "
                          + name
                          + ", got "
                          + (ports.isEmpty() ? "none" : ports.stream().map(Port::name).toList())
                          + (refused.isEmpty() ? "" : " (" + String.join("; ", refused) + ")"))));
    }
    return wanted;
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
    OptionalInt index = settings.gidIndex();
    if (index.isEmpty()) {
      index = best(context, number, info);
    }
    if (index.isEmpty()) {
      refused.add(
          name
              + " has no address (GID) of RoCE v2: give its network device an IP address;"
              + " ibv_devinfo -v lists them");
      return;
    }
    GidInfo gid =
        valueOf(name, "ibv_query_gid_ex", GidInfo.of(verbs, context, number, index.getAsInt()));
    if (gid != null) {
      VerbsAddress address = new VerbsAddress(info.linkLayer(), info.mtu(), info.lid(), gid.gid());
      ports.add(
          new Port(
              device,
              number,
              count,
              index.getAsInt(),
              address,
              info.maxMessageBytes(),
              info.bitsPerSecond()));
    }
  }

  /** An IPv4 address of RoCE v2 first, then any that is not of the link only, then any. */
  private OptionalInt best(long context, int number, PortInfo info) {
    if (info.linkLayer() != Ib.IBV_LINK_LAYER_ETHERNET) {
      return OptionalInt.of(0);
    }
    int best = -1;
    int bestRank = 0;
    for (int index = 0; index < Math.min(info.gids(), MOST_GIDS); index++) {
      GidInfo gid = GidInfo.of(verbs, context, number, index).value();
      int rank = gid == null || gid.type() != Ib.IBV_GID_TYPE_ROCE_V2 ? 0 : rank(gid.gid());
      if (rank > bestRank) {
        best = index;
        bestRank = rank;
      }
    }
    return best < 0 ? OptionalInt.empty() : OptionalInt.of(best);
  }

  private static int rank(Gid gid) {
    if (gid.isLinkLocal()) {
      return 1;
    }
    return gid.isIpv4() ? 3 : 2;
  }
}
