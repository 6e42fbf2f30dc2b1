package io.reactivetransfer.engine;

import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Found on the class path of these tests; cannot run anywhere. */
public final class AbsentBackend implements Backend {

  /** For the service loader. */
  public AbsentBackend() {}

  @Override
  public String name() {
    return "absent";
  }

  @Override
  public Availability availability() {
    return Availability.unavailable("its card is not there", "buy one");
  }

  @Override
  public List<Nic> nics() {
    return List.of();
  }

  @Override
  public CompletionStage<ControlChannel> openControl(ControlContext context) {
    throw new IllegalStateException("not available");
  }

  @Override
  public CompletionStage<Domain> open(Nic nic, OpenContext context) {
    throw new IllegalStateException("not available");
  }
}
