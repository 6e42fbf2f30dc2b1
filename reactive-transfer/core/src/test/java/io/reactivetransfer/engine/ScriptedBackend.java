package io.reactivetransfer.engine;

import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.Device;
import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.DeviceWay;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.WorkerLoop;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Opens a {@link ScriptedControl} and {@link ScriptedNic}s, and keeps the journal of what happened.
 */
final class ScriptedBackend implements Backend {

  static final String NAME = "scripted";

  private final WorkerLoop loop;
  private volatile ScriptedControl control;
  private final List<ScriptedNic> opened = Collections.synchronizedList(new ArrayList<>());
  private final List<String> journal = Collections.synchronizedList(new ArrayList<>());
  private final List<String> violations = Collections.synchronizedList(new ArrayList<>());

  int count = 1;

  /** How many NICs peers say that they have; as many as ours if it is 0. */
  int peerNics;

  int maxMessageBytes = 1 << 17;
  int queueDepth = 1 << 16;
  long maxWriteBytes = 1 << 20;
  CompletionLevel completion = CompletionLevel.DELIVERED;

  /** What else its NICs declare. */
  UnaryOperator<Capabilities.Builder> change = builder -> builder;

  /** Where a NIC is; of none it is known. */
  IntFunction<String> place = number -> null;

  /** How its NICs come at memory of accelerators. */
  Supplier<DeviceWay> way = () -> DeviceWay.UNKNOWN;

  Availability availability = Availability.available();

  /** What opening the control channel gives instead of the channel. */
  Function<ControlContext, CompletionStage<ControlChannel>> controlInstead = context -> null;

  /** What opening the NIC of this number gives instead of the NIC. */
  IntFunction<CompletionStage<Domain>> instead = number -> null;

  /** Without a loop, the engine drives the NICs by a thread. */
  ScriptedBackend(WorkerLoop loop) {
    this.loop = loop;
  }

  /** The channel that was opened last, or null. */
  ScriptedControl control() {
    return control;
  }

  List<ScriptedNic> opened() {
    return List.copyOf(opened);
  }

  int peerNics() {
    return peerNics == 0 ? count : peerNics;
  }

  List<String> journal() {
    return List.copyOf(journal);
  }

  void note(String event) {
    journal.add(event);
  }

  List<String> violations() {
    return List.copyOf(violations);
  }

  void violated(String what) {
    violations.add(what);
  }

  /** A channel such as {@link #openControl} makes, for a test that wants to hold it back. */
  ScriptedControl makeControl(ControlContext context) {
    control = new ScriptedControl(this, context, maxMessageBytes);
    return control;
  }

  /** A NIC such as {@link #open} makes, for a test that wants to hold it back. */
  ScriptedNic make(int number, OpenContext context) {
    ScriptedNic nic =
        new ScriptedNic(
            this,
            number,
            context,
            change
                .apply(Capabilities.builder(maxWriteBytes, queueDepth))
                .completion(completion)
                .fencesLostPeers(true)
                .build());
    opened.add(nic);
    return nic;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Availability availability() {
    return availability;
  }

  @Override
  public List<Nic> nics() {
    return IntStream.range(0, count)
        .mapToObj(i -> Nic.named("s" + i).withPciPath(place.apply(i)))
        .toList();
  }

  @Override
  public DeviceWay wayTo(Nic nic, Device device, DeviceAccess access) {
    return way.get();
  }

  @Override
  public WorkerLoop newLoop() {
    return loop;
  }

  @Override
  public CompletionStage<ControlChannel> openControl(ControlContext context) {
    note("open control");
    CompletionStage<ControlChannel> other = controlInstead.apply(context);
    return other != null ? other : CompletableFuture.completedStage(makeControl(context));
  }

  @Override
  public CompletionStage<Domain> open(Nic nic, OpenContext context) {
    int number = Integer.parseInt(nic.name().substring(1));
    note("open " + nic.name());
    CompletionStage<Domain> other = instead.apply(number);
    return other != null ? other : CompletableFuture.completedStage(make(number, context));
  }
}
