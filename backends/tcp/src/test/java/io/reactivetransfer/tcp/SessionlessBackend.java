package io.reactivetransfer.tcp;

import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.tck.ForwardingBackend;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;

/**
 * A tcp backend whose control channel has a loop of its own, of which the NICs know nothing: they
 * prove no sessions, ask for none, and do not hear of their ends.
 */
public final class SessionlessBackend extends ForwardingBackend {

  /** With NICs within this wrapper. */
  public SessionlessBackend(BiFunction<Domain, OpenContext, Domain> wrapper) {
    super(new TcpBackend(), wrapper);
  }

  @Override
  public CompletionStage<ControlChannel> openControl(ControlContext given) {
    return super.openControl(given.toBuilder().loop(null).build());
  }
}
