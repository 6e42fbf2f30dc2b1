package io.reactivetransfer.ibverbs;

import io.reactivetransfer.Device;
import io.reactivetransfer.Nic;
import io.reactivetransfer.control.ControlBuilder;
import io.reactivetransfer.control.NettyControl;
import io.reactivetransfer.ffm.NativeLibrary;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.DeviceWay;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * One-sided writes through libibverbs, over reliable connections: RoCE v2 and InfiniBand, such as
 * ConnectX cards, and the kernel's Soft-RoCE, which is what it was tried on. Needs {@code
 * libibverbs.so.1} of rdma-core 32 or later on a 64-bit Linux; nothing is loaded before {@link
 * #availability()} is asked.
 *
 * <p>Its NICs are the active ports that have an address, or those that are named. The system
 * properties {@code reactivetransfer.ibverbs.devices} (names, with commas), {@code .gidIndex},
 * {@code .ackTimeoutMillis}, {@code .retries}, {@code .serviceLevel}, {@code .trafficClass}, {@code
 * .host} and {@code .library} are the defaults of the builder's settings.
 */
public final class IbverbsBackend implements Backend {

  private static final String PROPERTY = "reactivetransfer.ibverbs.";
  private static final String LIBRARY = "libibverbs.so.1";
  private static final String REMEDY =
      "install libibverbs and the drivers of the cards (on Debian and Ubuntu the packages"
          + " libibverbs1 and ibverbs-providers), or use the backend tcp";
  private static final String PORT_REMEDY =
      "look at 'rdma link' and ibv_devinfo, give the card's network device an address, or use the"
          + " backend tcp";

  private final VerbsSettings settings;
  private final Supplier<VerbsLibrary> library;

  /** How its engines talk with each other. */
  private final Supplier<NettyControl> control;

  /** With the defaults, as the service loader makes it; see {@link Builder}. */
  public IbverbsBackend() {
    this(new Builder());
  }

  private IbverbsBackend(Builder builder) {
    this(builder, () -> VerbsLibrary.load(builder.library));
  }

  /** Over another library than the one that is named. */
  IbverbsBackend(Builder builder, Supplier<VerbsLibrary> library) {
    this.library = library;
    settings =
        new VerbsSettings(
            builder.devices,
            builder.gidIndex,
            AckTiming.of(builder.ackTimeout, builder.retries),
            new Priority(builder.serviceLevel, builder.trafficClass));
    control = builder.channel();
  }

  /** Begins with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public String name() {
    return "ibverbs";
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
          String.valueOf(e.getMessage()), "give IbverbsBackend.builder() what is missing");
    }
    if (NativeLibrary.availability() instanceof Availability.Unavailable none) {
      return none;
    }
    try {
      VerbsLibrary ignored = library.get();
    } catch (BackendException e) {
      return Availability.unavailable(String.valueOf(e.getMessage()), REMEDY);
    } catch (IllegalCallerException e) {
      return Availability.unavailable(
          "this JVM denies native access", "start it with --enable-native-access=ALL-UNNAMED");
    }
    try {
      found();
      return Availability.available();
    } catch (BackendException e) {
      return Availability.unavailable(String.valueOf(e.getMessage()), PORT_REMEDY);
    }
  }

  private PortFinder.Found found() {
    return VerbsLibrary.guarded(() -> PortFinder.find(library.get().verbs(), settings));
  }

  @Override
  public List<Nic> nics() {
    return found().ports().stream().map(Port::nic).limit(Nic.MAX_PER_ENGINE).toList();
  }

  @Override
  public List<String> remarks() {
    PortFinder.Found found = found();
    List<String> remarks = new ArrayList<>();
    for (Port port : found.ports()) {
      remarks.add(
          port.name()
              + ": "
              + (port.isEthernet() ? "RoCE v2" : "InfiniBand")
              + ", address "
              + port.address()
              + " (GID index "
              + port.gidIndex()
              + "), packets of "
              + VerbsAddress.mtuBytes(port.address().mtu())
              + " bytes");
    }
    for (Port port : found.unused()) {
      remarks.add(
          port.portName()
              + " has a further address, "
              + port.address()
              + " (GID index "
              + port.gidIndex()
              + "): for a NIC of its own, name "
              + port.nameWithAddress()
              + " beside all other devices");
    }
    remarks.add(
        "a peer that does not answer is lost after about "
            + settings.timing().untilLost().toMillis()
            + " ms");
    remarks.add("tried on Soft-RoCE only, on no card: try it before you trust it");
    remarks.add(
        "cannot keep: what opens memory is the card's key and a random address, which a member of"
            + " the cluster may guess, at the price of a connection for each guess");
    found.refused().forEach(each -> remarks.add("not used: " + each));
    return remarks;
  }

  /** The first of those that are tried when memory is registered. */
  @Override
  public DeviceWay wayTo(Nic nic, Device device, DeviceAccess access) {
    Set<DeviceWay> ways = access.waysForNics(device);
    if (ways.contains(DeviceWay.DMA_BUF) && library.get().verbs().knowsDmaBufs()) {
      return DeviceWay.DMA_BUF;
    }
    return ways.contains(DeviceWay.PEER_MEMORY) ? DeviceWay.PEER_MEMORY : DeviceWay.NONE;
  }

  @Override
  public CompletionStage<ControlChannel> openControl(ControlContext context) {
    return control.get().open(context);
  }

  @Override
  public CompletionStage<Domain> open(Nic nic, OpenContext context) {
    // Opening takes milliseconds, which the thread of the other NICs must not be held up by.
    return CompletableFuture.supplyAsync(
        () -> {
          Port port =
              found().ports().stream()
                  .filter(each -> each.name().equals(nic.name()))
                  .findFirst()
                  .orElseThrow(() -> new BackendException(0, "no active port " + nic.name()));
          return VerbsDomain.open(library.get().verbs(), port, settings, random(), context);
        },
        task -> Thread.ofPlatform().daemon().name("transfer-ibverbs-open").start(task));
  }

  private static SecureRandom random() {
    try {
      return SecureRandom.getInstance("DRBG");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("expected a JDK with DRBG", e);
    }
  }

  /**
   * Sets what differs from the defaults. The host is that of the control channel, and need not be
   * an address of the cards.
   */
  public static final class Builder extends ControlBuilder<Builder> {
    private String library = System.getProperty(PROPERTY + "library", LIBRARY);
    private List<String> devices = defaultDevices();
    private OptionalInt gidIndex = defaultGidIndex();
    private Duration ackTimeout =
        Duration.ofMillis(
            Long.getLong(PROPERTY + "ackTimeoutMillis", AckTiming.DEFAULT_TIMEOUT.toMillis()));
    private int retries = Integer.getInteger(PROPERTY + "retries", AckTiming.DEFAULT_RETRIES);
    private int serviceLevel = Integer.getInteger(PROPERTY + "serviceLevel", 0);
    private int trafficClass = Integer.getInteger(PROPERTY + "trafficClass", 0);

    private Builder() {
      host(System.getProperty(PROPERTY + "host", host()));
    }

    private static List<String> defaultDevices() {
      String names = System.getProperty(PROPERTY + "devices", "");
      return names.isBlank() ? List.of() : List.of(names.strip().split("\\s*,\\s*", -1));
    }

    private static OptionalInt defaultGidIndex() {
      Integer index = Integer.getInteger(PROPERTY + "gidIndex");
      return index == null ? OptionalInt.empty() : OptionalInt.of(index);
    }

    /** The library's file name or path; by default what the dynamic linker finds. */
    public Builder library(String nameOrPath) {
      this.library = nameOrPath;
      return this;
    }

    /**
     * The devices to use, in this order, such as {@code mlx5_0}; {@code mlx5_0/2} for the second
     * port of one that has several; {@code mlx5_0@10.0.0.7} for a NIC of one of several addresses
     * of a port, of which each can be one. By default all ports that are active and have an
     * address, each with its best one.
     *
     * @throws IllegalArgumentException if what follows an {@code @} is no IP address
     */
    public Builder devices(String... names) {
      for (String name : names) {
        PortName ignored = PortName.of(name);
      }
      this.devices = List.of(names);
      return this;
    }

    /**
     * Which entry of a port's table of addresses is the own one; by default the first IPv4 address
     * of RoCE v2, or else another one of RoCE v2. {@code ibv_devinfo -v} lists them.
     */
    public Builder gidIndex(int index) {
      if (index < 0 || index > 255) {
        throw new IllegalArgumentException("expected a GID index of 0 to 255, got " + index);
      }
      this.gidIndex = OptionalInt.of(index);
      return this;
    }

    /**
     * How long a card waits for an acknowledgement before it sends again, 67 ms by default; taken
     * as the next power of two times 4.096 us. Cards wait up to four times as long. Soft-RoCE wants
     * more where its host is slow, see {@code docs/backends/ibverbs.md}.
     *
     * @throws IllegalArgumentException when it is built, if that is not above 0 or too long
     */
    public Builder ackTimeout(Duration timeout) {
      this.ackTimeout = timeout;
      return this;
    }

    /** How often it sends again before it gives the peer up, 0 to 6, by default 6. */
    public Builder retries(int count) {
      this.retries = count;
      return this;
    }

    /**
     * The service level of packets, 0 to 15, by default 0: over InfiniBand switches map it to
     * virtual lanes, over Ethernet a card may map it to a priority.
     *
     * @throws IllegalArgumentException when it is built, if it is another one
     */
    public Builder serviceLevel(int level) {
      this.serviceLevel = level;
      return this;
    }

    /**
     * The traffic class of packets, 0 to 255, by default 0: over RoCE v2 the byte of the IP header
     * with DSCP (its upper 6 bits), by which switches choose the queue that flow control (PFC) and
     * marking (ECN) are set up for.
     *
     * @throws IllegalArgumentException when it is built, if it is another one
     */
    public Builder trafficClass(int value) {
      this.trafficClass = value;
      return this;
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
     *     {@link #withoutSecret()}; if there are both; or if a time or number is out of its range
     */
    public IbverbsBackend build() {
      IbverbsBackend backend = new IbverbsBackend(this);
      NettyControl ignored = backend.control.get();
      return backend;
    }
  }
}
