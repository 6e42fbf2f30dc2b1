package io.reactivetransfer.libfabric;

import io.reactivetransfer.Device;
import io.reactivetransfer.Nic;
import io.reactivetransfer.control.ControlBuilder;
import io.reactivetransfer.control.NettyControl;
import io.reactivetransfer.ffm.NativeLibrary;
import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.libfabric.ffi.FiInfo;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.DeviceWay;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.staging.StagingDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * One-sided writes through libfabric: in software over tcp and shm, and by way of its providers
 * over EFA, RoCE and InfiniBand, for which it is written and over which it was never run. Needs
 * {@code libfabric.so.1} of 1.17 or later on a 64-bit Linux; nothing is loaded before {@link
 * #availability()} is asked.
 *
 * <p>The provider is the first of {@code efa}, {@code verbs;ofi_rxm} and {@code tcp} that has a NIC
 * here, or the one that is named. The system properties {@code
 * reactivetransfer.libfabric.provider}, {@code .host} and {@code .library} are the defaults of the
 * builder's settings, and so is the environment variable {@code FI_LIBRARY} of the last.
 */
public final class LibfabricBackend implements Backend {

  private static final String PROPERTY = "reactivetransfer.libfabric.";
  private static final String REMEDY =
      "install libfabric 1.17 or later (on Debian and Ubuntu the package libfabric1), or name a"
          + " library by the system property reactivetransfer.libfabric.library";

  private final LibfabricSettings settings;

  /** How its engines talk with each other. */
  private final Supplier<NettyControl> control;

  /** With the defaults, as the service loader makes it; see {@link Builder}. */
  public LibfabricBackend() {
    this(new Builder());
  }

  private LibfabricBackend(Builder builder) {
    settings = builder.settings();
    control = builder.channel();
  }

  /** Begins with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public String name() {
    return "libfabric";
  }

  @Override
  public Availability availability() {
    String system = System.getProperty("os.name", "unknown") + " " + System.getProperty("os.arch");
    if (!system.matches("Linux (amd64|x86_64|aarch64)")) {
      return Availability.unavailable(
          "it runs on 64-bit Linux only, and this is " + system, "use the backend tcp");
    }
    try {
      NettyControl ignored = control.get();
    } catch (IllegalArgumentException e) {
      return Availability.unavailable(
          String.valueOf(e.getMessage()), "give LibfabricBackend.builder() what is missing");
    }
    if (NativeLibrary.availability() instanceof Availability.Unavailable none) {
      return none;
    }
    FabricLibrary library;
    try {
      library = FabricLibrary.load(settings.library());
    } catch (BackendException e) {
      return Availability.unavailable(String.valueOf(e.getMessage()), REMEDY);
    } catch (IllegalCallerException e) {
      return Availability.unavailable(
          "this JVM denies native access", "start it with --enable-native-access=ALL-UNNAMED");
    }
    try {
      library.choose(settings);
      return Availability.available();
    } catch (BackendException e) {
      return Availability.unavailable(String.valueOf(e.getMessage()), providerRemedy());
    }
  }

  /** The library is there, and none of its providers can be used as it is asked for. */
  private String providerRemedy() {
    return settings
            .provider()
            .map(name -> "name another one than " + name + ", or none for the best,")
            .orElse("name one")
        + " by LibfabricBackend.builder().provider() or the system property"
        + " reactivetransfer.libfabric.provider, of those that fi_info -l lists, and by host() an"
        + " address of this machine (it is "
        + settings.host()
        + "); or use the backend tcp";
  }

  private ProviderChoice choice() {
    return FabricLibrary.load(settings.library()).choose(settings);
  }

  /** What the operating system says of an address does not say which one, nor who gave it. */
  private BackendException explained(ProviderChoice choice, BackendException failure) {
    if (failure.code() != Fi.FI_EADDRNOTAVAIL || !choice.provider().needsHost()) {
      return failure;
    }
    return new BackendException(
        failure.code(),
        failure.getMessage()
            + "; "
            + settings.host()
            + " is no address of this machine: give LibfabricBackend.builder().host() or the system"
            + " property reactivetransfer.libfabric.host one that is",
        failure);
  }

  @Override
  public List<Nic> nics() {
    ProviderChoice choice = choice();
    return nics(
        choice.isSoftware()
            ? settings.nics()
            : Math.min(choice.infos().size(), Nic.MAX_PER_ENGINE));
  }

  /** Of a provider that is software, as many as are wanted. */
  @Override
  public List<Nic> nics(int count) {
    ProviderChoice choice = choice();
    List<FiInfo> infos = choice.infos();
    int most = choice.isSoftware() ? Nic.MAX_PER_ENGINE : infos.size();
    if (count < 1 || count > Math.min(most, Nic.MAX_PER_ENGINE)) {
      throw new BackendException(
          0,
          "expected 1 to "
              + Math.min(most, Nic.MAX_PER_ENGINE)
              + " NICs of provider "
              + choice.provider().name()
              + ", got "
              + count);
    }
    return IntStream.range(0, count).mapToObj(index -> choice.nic(index)).toList();
  }

  @Override
  public List<String> remarks() {
    FabricLibrary library = FabricLibrary.load(settings.library());
    ProviderChoice choice = choice();
    FiInfo info = choice.infos().getFirst();
    List<String> remarks = new ArrayList<>();
    remarks.add(
        library
            + ", provider "
            + choice.provider().name()
            + ", a write is done when "
            + (info.completesOnDelivery()
                ? "its bytes are in the target's memory"
                : "its source can be reused"));
    if (!choice.provider().wasRun()) {
      remarks.add("never run over this provider by those who wrote it: try it before you trust it");
    }
    choice.provider().shortcomings().forEach(each -> remarks.add("cannot keep: " + each));
    choice.refused().forEach(each -> remarks.add("not " + each.provider() + ": " + each.reason()));
    return remarks;
  }

  @Override
  public DeviceWay wayTo(Nic nic, Device device, DeviceAccess access) {
    FabricLibrary library = FabricLibrary.load(settings.library());
    ProviderChoice choice = choice();
    FiInfo info = choice.infoOf(nic);
    return DeviceWays.of(
        access.isOpenToNics(device) ? library.forDevices(settings, choice, info) : info,
        device,
        access);
  }

  @Override
  public CompletionStage<ControlChannel> openControl(ControlContext context) {
    return control.get().open(context);
  }

  @Override
  public CompletionStage<Domain> open(Nic nic, OpenContext context) {
    return openPlain(nic, context)
        .thenApply(main -> StagingDomain.before(main, () -> openPlain(nic, context), context));
  }

  /** One that takes memory of the host only. */
  private CompletionStage<Domain> openPlain(Nic nic, OpenContext context) {
    // Opening takes tens of milliseconds, which the thread of the other NICs must not be held up
    // by. What is opened is used by that thread alone afterwards.
    return CompletableFuture.supplyAsync(
        () -> {
          FabricLibrary library = FabricLibrary.load(settings.library());
          ProviderChoice choice = library.choose(settings);
          try {
            FiInfo info = choice.infoOf(nic);
            boolean hasDevices = DeviceKind.known(context.devices()).size() > 1;
            return LibfabricDomain.open(
                library,
                choice,
                hasDevices ? library.forDevices(settings, choice, info) : info,
                context);
          } catch (BackendException e) {
            throw explained(choice, e);
          }
        },
        task -> Thread.ofPlatform().daemon().name("transfer-libfabric-open").start(task));
  }

  /**
   * Sets what differs from the defaults. The host is that of the control channel and of providers
   * over IP.
   */
  public static final class Builder extends ControlBuilder<Builder> {
    private String library = defaultLibrary();
    private Optional<String> provider =
        Optional.ofNullable(System.getProperty(PROPERTY + "provider"));
    private int nics = 1;

    private Builder() {
      host(System.getProperty(PROPERTY + "host", host()));
    }

    private static String defaultLibrary() {
      String variable = System.getenv("FI_LIBRARY");
      return System.getProperty(
          PROPERTY + "library",
          variable == null || variable.isEmpty() ? "libfabric.so.1" : variable);
    }

    /**
     * The library's file name or path; by default what the dynamic linker finds as libfabric.so.1.
     */
    public Builder library(String nameOrPath) {
      this.library = nameOrPath;
      return this;
    }

    /** The provider, such as {@code tcp}, {@code shm} or {@code efa}; by default the best. */
    public Builder provider(String name) {
      this.provider = Optional.of(name);
      return this;
    }

    /**
     * NICs of an engine that is not told how many, 1 to 8, where NICs are software; by default 1.
     */
    public Builder nics(int count) {
      if (count < 1 || count > Nic.MAX_PER_ENGINE) {
        throw new IllegalArgumentException(
            "expected nics of 1 to " + Nic.MAX_PER_ENGINE + ", got " + count);
      }
      this.nics = count;
      return this;
    }

    private LibfabricSettings settings() {
      return new LibfabricSettings(library, provider, host(), nics);
    }

    /** For the backend, which may not call what is protected. */
    private Supplier<NettyControl> channel() {
      return control();
    }

    /**
     * The backend. Looks up a host that is a name, and so may block.
     *
     * @throws IllegalArgumentException if the host is unknown; if it stands for all interfaces and
     *     nothing is advertised; if it is not a loopback address, and there is neither a secret nor
     *     {@link #withoutSecret()}; or if there are both
     */
    public LibfabricBackend build() {
      LibfabricBackend backend = new LibfabricBackend(this);
      NettyControl ignored = backend.control.get();
      return backend;
    }
  }
}
