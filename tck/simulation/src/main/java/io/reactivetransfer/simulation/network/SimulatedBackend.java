package io.reactivetransfer.simulation.network;

import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.WorkerLoop;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/**
 * The control channel and the NICs of one {@link SimulatedProcess} on a {@link SimulatedNetwork}.
 */
public final class SimulatedBackend implements Backend {

  private final SimulatedNetwork network;
  private final SimulatedProcess process;

  /** On this network, for this process. */
  public SimulatedBackend(SimulatedNetwork network, SimulatedProcess process) {
    this.network = network;
    this.process = process;
  }

  @Override
  public String name() {
    return "simulated";
  }

  @Override
  public Availability availability() {
    return Availability.available();
  }

  @Override
  public List<Nic> nics() {
    return nics(1);
  }

  @Override
  public List<Nic> nics(int count) {
    return IntStream.range(0, count).mapToObj(index -> Nic.named("simulated" + index)).toList();
  }

  @Override
  public WorkerLoop newLoop() {
    return process.newLane();
  }

  @Override
  public CompletionStage<ControlChannel> openControl(ControlContext context) {
    CompletableFuture<ControlChannel> opened = new CompletableFuture<>();
    process.execute(() -> opened.complete(network.openControl(context, process)), 0);
    return opened;
  }

  @Override
  public CompletionStage<Domain> open(Nic nic, OpenContext context) {
    CompletableFuture<Domain> opened = new CompletableFuture<>();
    process.execute(() -> opened.complete(network.open(context, process.place())), 0);
    return opened;
  }
}
