package io.reactivetransfer.libfabric;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.reactivetransfer.Nic;
import io.reactivetransfer.ffm.NumaNodes;
import io.reactivetransfer.ffm.ProcessEnvironment;
import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.libfabric.ffi.FiHints;
import io.reactivetransfer.libfabric.ffi.FiInfo;
import io.reactivetransfer.libfabric.ffi.LibFabric;
import io.reactivetransfer.spi.BackendException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Which provider is used, by rule: the first of efa, verbs, tcp that has a NIC here, or the one
 * that was named; and why others are not.
 *
 * @param provider the one
 * @param infos one for each of its NICs, never empty
 * @param refused the others, with the reason
 */
record ProviderChoice(Provider provider, List<FiInfo> infos, List<Refused> refused) {

  /** A provider that is not used, and why. */
  record Refused(String provider, String reason) {}

  private static final int MR_MODE =
      Fi.FI_MR_LOCAL
          | Fi.FI_MR_VIRT_ADDR
          | Fi.FI_MR_ALLOCATED
          | Fi.FI_MR_PROV_KEY
          | Fi.FI_MR_ENDPOINT;

  /**
   * Chooses.
   *
   * @throws BackendException if there is none; says what is wrong with each
   */
  static ProviderChoice choose(LibFabric lib, LibfabricSettings settings) {
    Optional<String> named = settings.provider();
    List<Refused> refused = new ArrayList<>();
    for (String name : named.map(List::of).orElse(Provider.CANDIDATES)) {
      try {
        List<FiInfo> infos = ask(lib, name, Fi.FI_EP_RDM, settings.host(), false);
        Provider provider = Provider.of(infos.getFirst().provider());
        if (provider.connects()) {
          lib.fi_freeinfo(infos.getFirst().address());
          infos = ask(lib, provider.below(), Fi.FI_EP_MSG, settings.host(), false);
        }
        if (named.isEmpty()) {
          refused.addAll(others(lib));
        }
        return new ProviderChoice(provider, infos, refused);
      } catch (BackendException e) {
        refused.add(new Refused(name, String.valueOf(e.getMessage())));
      }
    }
    throw new BackendException(0, "no provider can be used: " + text(refused));
  }

  /**
   * The same NICs, to be opened so that they read and write accelerators by themselves. A provider
   * that is software would copy as well, on the NIC's thread, so it is not asked.
   *
   * @throws BackendException if the provider has none that do; says why
   */
  List<FiInfo> forDevices(LibFabric lib, LibfabricSettings settings) {
    if (isSoftware()) {
      throw new BackendException(0, "provider " + provider.name() + " is software");
    }
    return ask(lib, provider.name(), Fi.FI_EP_RDM, settings.host(), true);
  }

  /** Whether NICs are made by the process, as many as are wanted. */
  boolean isSoftware() {
    return provider.place() == Provider.Place.PROCESS;
  }

  /** The NIC of this index; of software there are more than the provider lists. */
  Nic nic(int index) {
    FiInfo info = infos.get(index % infos.size());
    String name = isSoftware() ? provider.name() + "-" + index : info.domain();
    return Nic.named(name)
        .withBitsPerSecond(info.bitsPerSecond())
        .withNumaNode(numaNode(info.pciPath()))
        .withPciPath(info.pciPath());
  }

  /** The info of a NIC that was listed. */
  FiInfo infoOf(Nic nic) {
    return IntStream.range(0, isSoftware() ? Nic.MAX_PER_ENGINE : infos.size())
        .filter(index -> nic(index).name().equals(nic.name()))
        .mapToObj(index -> infos.get(index % infos.size()))
        .findFirst()
        .orElseThrow(() ->
            new BackendException(
                0, "expected a NIC of provider " + provider.name() + ", got " + nic.name()));
  }

  private static int numaNode(@Nullable String pciPath) {
    return pciPath == null ? -1 : NumaNodes.system().nodeOfPciDevice(pciPath);
  }

  /** The providers that are there, and are not chosen by rule. */
  private static List<Refused> others(LibFabric lib) {
    List<Refused> others = new ArrayList<>();
    for (String name : Provider.OTHERS) {
      try {
        FiInfo first = ask(lib, name, Fi.FI_EP_RDM, LibfabricSettings.LOOPBACK, false).getFirst();
        if (first.provider().equals(name)) {
          others.add(new Refused(name, "used only where it is named"));
        }
        lib.fi_freeinfo(first.address());
      } catch (BackendException e) {
        if (e.code() != Fi.FI_ENODATA) {
          others.add(new Refused(name, String.valueOf(e.getMessage())));
        }
      }
    }
    return others;
  }

  static String text(List<Refused> refused) {
    return String.join(
        "; ", refused.stream().map(each -> each.provider() + ": " + each.reason()).toList());
  }

  /** Asks a provider for its NICs; what is refused is an exception with the reason. */
  private static List<FiInfo> ask(
      LibFabric lib, String name, int endpointType, String host, boolean devices) {
    Provider provider = Provider.of(name);
    // In shm a write with virtual addresses goes straight into the other process, unchecked.
    int mrMode = name.equals(Provider.SHM) ? MR_MODE & ~Fi.FI_MR_VIRT_ADDR : MR_MODE;
    FiHints hints = new FiHints(name, endpointType, mrMode, provider.deliveryComplete(), devices);
    try (Arena arena = Arena.ofConfined()) {
      long node = provider.needsHost() ? arena.allocateFrom(host).address() : 0;
      MemorySegment out = arena.allocate(JAVA_LONG);
      long asked = hints.allocate(lib);
      if (asked == 0) {
        throw new BackendException(Fi.FI_ENOMEM, "no memory");
      }
      int result =
          lib.fi_getinfo(
              provider.apiVersion(lib.fi_version()),
              node,
              node == 0 ? 0 : Fi.FI_SOURCE,
              asked,
              out.address());
      lib.fi_freeinfo(asked);
      if (result != Fi.FI_SUCCESS) {
        throw new BackendException(-result, none(lib, result, provider, host));
      }
      long list = out.get(JAVA_LONG, 0);
      List<FiInfo> infos = oneForEachNic(FiInfo.list(list));
      Optional<String> reason =
          Provider.refusal(infos.getFirst(), lib.fi_version())
              .or(() ->
                  ProviderVariables.refusal(infos.getFirst().provider(), ProcessEnvironment::get));
      if (reason.isPresent()) {
        lib.fi_freeinfo(list);
        throw new BackendException(0, reason.get());
      }
      return infos; // which are read again whenever a NIC is opened, so they are never freed
    }
  }

  private static String none(LibFabric lib, int result, Provider provider, String host) {
    return result == -Fi.FI_ENODATA
        ? "it has no NIC here" + (provider.needsHost() ? " with the address " + host : "")
        : "fi_getinfo: " + lib.fi_strerror(-result) + " (" + -result + ")";
  }

  /** A provider lists a NIC several times, in several ways; the first one is its best. */
  private static List<FiInfo> oneForEachNic(List<FiInfo> all) {
    String provider = all.getFirst().provider();
    Map<String, FiInfo> byDomain = new LinkedHashMap<>();
    all.stream()
        .filter(info -> info.provider().equals(provider))
        .forEach(info -> byDomain.putIfAbsent(info.domain(), info));
    return List.copyOf(byDomain.values());
  }
}
