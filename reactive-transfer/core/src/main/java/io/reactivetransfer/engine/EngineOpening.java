package io.reactivetransfer.engine;

import io.reactivetransfer.Access;
import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Nic;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.engine.base.Answer;
import io.reactivetransfer.engine.base.NearNics;
import io.reactivetransfer.engine.base.Nics;
import io.reactivetransfer.engine.base.NotClosed;
import io.reactivetransfer.engine.base.Signals;
import io.reactivetransfer.engine.memory.Regions;
import io.reactivetransfer.engine.memory.RegisteredRegion;
import io.reactivetransfer.engine.memory.Revocations;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.engine.peers.PeerLink;
import io.reactivetransfer.engine.peers.PeerNic;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.EngineEnvironment;
import io.reactivetransfer.spi.EngineIdentity;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.WorkerLoop;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Opens one engine: the thread first, then on it one NIC after the other, then the doorbell region.
 */
final class EngineOpening {

  private final Backend backend;
  private final EngineOptions options;
  private final Answer<TransferEngine> answer;
  private final List<Nic> nics;
  private final NearNics near;
  private final List<Domain> domains = new ArrayList<>();
  private @Nullable ControlChannel control;
  private final EngineIdentity identity;
  private final Devices devices;
  private final Worker worker;
  private final @Nullable WorkerLoop loop;
  private final WorkerHost host;
  private boolean failed;

  private EngineOpening(
      Backend backend,
      EngineOptions options,
      EngineEnvironment environment,
      Answer<TransferEngine> answer) {
    this.backend = backend;
    this.options = options;
    this.answer = answer;
    this.nics = List.copyOf(options.nics() == 0 ? backend.nics() : backend.nics(options.nics()));
    if (nics.isEmpty() || nics.size() > Nic.MAX_PER_ENGINE) {
      throw new BackendException(
          0, "expected 1 to " + Nic.MAX_PER_ENGINE + " NICs, got " + nics.size());
    }
    this.near = NearNics.of(backend, nics, options, environment);
    this.identity = environment.identities().get();
    this.devices = environment.devices();
    this.worker = new Worker(identity, options, environment.nanoClock());
    this.loop = backend.newLoop();
    this.host =
        loop == null
            ? new NicThread("transfer-nic-" + worker.id().toShortString(), options, environment)
            : new LoopHost(loop);
  }

  /** Opens an engine, and answers. From any thread. */
  static void open(
      Backend backend,
      EngineOptions options,
      EngineEnvironment environment,
      Answer<TransferEngine> answer) {
    Backends.requireAvailable(backend);
    EngineOpening opening;
    try {
      opening = new EngineOpening(backend, options, environment, answer);
    } catch (BackendException e) {
      throw unavailable(backend, e);
    }
    opening.begin();
  }

  private void begin() {
    try {
      worker.start(host, this::fail);
    } catch (RuntimeException | Error noThread) {
      if (loop != null) {
        var _ = loop.close(); // nothing has run on it, and nobody else would close it
      }
      throw noThread;
    }
    worker.commands().execute(this::openControl);
  }

  private void openControl() {
    if (failed) {
      return;
    }
    ControlContext context =
        ControlContext.builder(identity, backend.name(), host)
            .loop(loop)
            .maxMessageBytes(maxFrameBytes())
            .connectTimeout(options.connectTimeout())
            .build();
    try {
      backend
          .openControl(context)
          .whenComplete((channel, failure) ->
              worker.commands().execute(() -> controlOpened(channel, failure)));
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  private void controlOpened(@Nullable ControlChannel channel, @Nullable Throwable failure) {
    control = channel;
    if (failed) {
      closeAll();
    } else if (failure != null) {
      fail(failure);
    } else if (channel == null) {
      fail(new BackendException(0, "it opened its control channel to null"));
    } else if (channel.maxMessageBytes() < maxFrameBytes()) {
      fail(
          new BackendException(
              0,
              "expected a control channel that takes control messages of "
                  + maxFrameBytes()
                  + " bytes, as it was asked for, got one that declares at most "
                  + channel.maxMessageBytes()));
    } else {
      openNext();
    }
  }

  private int maxFrameBytes() {
    return Math.max(
        ControlFrame.MESSAGE_HEADER_BYTES + ControlFrame.MAX_PART_BYTES,
        ControlFrame.HEADER_BYTES + ControlFrame.MAX_HELLO_BYTES);
  }

  private void openNext() {
    if (failed) {
      return;
    }
    int index = domains.size();
    if (index == nics.size()) {
      finish();
      return;
    }
    OpenContext context =
        OpenContext.builder(worker.id(), index, host)
            .loop(loop)
            .nicDepth(options.nicDepth())
            .connectTimeout(options.connectTimeout())
            .devices(devices)
            .build();
    try {
      backend
          .open(nics.get(index), context)
          .whenComplete(
              (domain, failure) -> worker.commands().execute(() -> opened(domain, failure)));
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  private void opened(@Nullable Domain domain, @Nullable Throwable failure) {
    if (domain != null) {
      domains.add(domain);
    }
    if (failed) {
      closeAll();
    } else if (failure != null) {
      fail(failure);
    } else if (domain == null) {
      fail(new BackendException(0, "it opened NIC " + nics.get(domains.size()) + " to null"));
    } else if (!domain.capabilities().operations().contains(Operation.Kind.WRITE)) {
      fail(
          new BackendException(
              0,
              "expected a NIC that can do "
                  + Operation.Kind.WRITE
                  + ", got one that declares "
                  + domain.capabilities().operations()));
    } else {
      openNext();
    }
  }

  private void finish() {
    try {
      ControlChannel channel = Objects.requireNonNull(control);
      Regions regions =
          new Regions(
              new PeerAddress(backend.name(), worker.id(), channel.address()),
              new Nics(nics, near, domains, worker.defects()),
              devices,
              new Revocations(
                  options.revocationGrace(),
                  worker.timers(),
                  worker.closing(),
                  worker.defects().recording()),
              worker.commands(),
              worker.afterPoll(),
              worker.closing(),
              worker.counters(),
              worker.defects());
      HostMemory bell =
          new HostMemory(Arena.ofAuto().allocate(PeerLink.DOORBELL_BYTES, PeerLink.DOORBELL_BYTES));
      RegisteredRegion doorbell = regions.unregistered(bell, Access.REMOTE_WRITE);
      doorbell.register(failure -> registered(channel, regions, doorbell, failure));
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  private void registered(
      ControlChannel channel,
      Regions regions,
      RegisteredRegion doorbell,
      @Nullable TransferException failure) {
    if (failed) {
      return;
    }
    if (failure != null) {
      fail(failure);
      return;
    }
    try {
      List<PeerNic> own = new ArrayList<>();
      for (int nic = 0; nic < domains.size(); nic++) {
        own.add(new PeerNic(domains.get(nic).address(), doorbell.local(nic).key()));
      }
      Parts parts = new Parts(worker, channel, regions, doorbell, own, devices);
      worker.begin(parts);
      TransferEngine engine = new DefaultTransferEngine(worker, parts);
      worker.recorded(engine);
      answer.success(engine, () -> engine.close().subscribe());
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  private void fail(Throwable reason) {
    if (failed) {
      return;
    }
    failed = true;
    CompletionStage<Void> ended = closeAll();
    TransferException error = unavailable(backend, reason);
    try {
      host.halt()
          .whenComplete(
              (nothing, failure) -> ended.whenComplete((channel, broken) -> answer.error(error)));
    } catch (RuntimeException | Error e) {
      worker.defects().report("the thread of the NICs could not be ended: " + e);
      answer.error(error);
    }
    worker.terminate();
  }

  /** Closes what is open; complete when nothing of the control channel runs any more. */
  private CompletionStage<Void> closeAll() {
    for (Domain domain : domains) {
      try {
        domain.close();
      } catch (Throwable e) {
        worker.defects().report("a NIC could not be closed: " + e);
        NotClosed.keep(domain);
      }
    }
    domains.clear();
    ControlChannel channel = control;
    control = null;
    if (channel == null) {
      return CompletableFuture.completedStage(null);
    }
    worker.defects().attempt("closing the control channel", channel::close);
    try {
      return Objects.requireNonNull(channel.closed(), "a stage of the control channel");
    } catch (RuntimeException | Error e) {
      worker.defects().report("nobody knows when the control channel has closed: " + e);
      return CompletableFuture.completedStage(null);
    }
  }

  private static TransferException unavailable(Backend backend, Throwable reason) {
    Throwable cause =
        reason instanceof CompletionException e && e.getCause() != null ? e.getCause() : reason;
    if (cause instanceof TransferException already) {
      return already;
    }
    int code = cause instanceof BackendException e ? e.code() : 0;
    return new BackendUnavailableException(
        "cannot open backend '" + backend.name() + "': " + Signals.textOf(cause),
        new Origin(null, null, code),
        cause);
  }
}
