package io.reactivetransfer.tck;

import io.reactivetransfer.Device;
import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.DeviceWay;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.WorkerLoop;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** A backend whose NICs, and control channel, are those of another one, each within a wrapper. */
public class ForwardingBackend implements Backend {

  private final Backend inner;
  private final BiFunction<Domain, OpenContext, Domain> wrapper;
  private final BiFunction<ControlChannel, ControlContext, ControlChannel> controlWrapper;

  /**
   * In front of this one.
   *
   * @param wrapper makes what stands for an opened NIC
   */
  public ForwardingBackend(Backend inner, BiFunction<Domain, OpenContext, Domain> wrapper) {
    this(inner, wrapper, (channel, context) -> channel);
  }

  /**
   * In front of this one.
   *
   * @param wrapper makes what stands for an opened NIC
   * @param controlWrapper makes what stands for an opened control channel
   */
  public ForwardingBackend(
      Backend inner,
      BiFunction<Domain, OpenContext, Domain> wrapper,
      BiFunction<ControlChannel, ControlContext, ControlChannel> controlWrapper) {
    this.inner = inner;
    this.wrapper = wrapper;
    this.controlWrapper = controlWrapper;
  }

  @Override
  public String name() {
    return inner.name();
  }

  @Override
  public Availability availability() {
    return inner.availability();
  }

  @Override
  public List<String> remarks() {
    return inner.remarks();
  }

  @Override
  public List<Nic> nics() {
    return inner.nics();
  }

  @Override
  public List<Nic> nics(int count) {
    return inner.nics(count);
  }

  @Override
  public DeviceWay wayTo(Nic nic, Device device, DeviceAccess access) {
    return inner.wayTo(nic, device, access);
  }

  @Override
  public @Nullable WorkerLoop newLoop() {
    return inner.newLoop();
  }

  @Override
  public CompletionStage<ControlChannel> openControl(ControlContext context) {
    return inner.openControl(context).thenApply(channel -> controlWrapper.apply(channel, context));
  }

  @Override
  public CompletionStage<Domain> open(Nic nic, OpenContext context) {
    return inner.open(nic, context).thenApply(domain -> wrapper.apply(domain, context));
  }
}
