package io.reactivetransfer.examples.moe;

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
import org.jspecify.annotations.Nullable;

/**
 * A backend for one engine, whose NICs note what they take and whose loop, if it has one, notes
 * when a turn begins.
 *
 * @param backend does all else
 * @param posts where it is noted
 */
record NotedBackend(Backend backend, Posts posts) implements Backend {

  @Override
  public String name() {
    return backend.name();
  }

  @Override
  public Availability availability() {
    return backend.availability();
  }

  @Override
  public List<Nic> nics() {
    return backend.nics();
  }

  @Override
  public List<Nic> nics(int count) {
    return backend.nics(count);
  }

  @Override
  public List<String> remarks() {
    return backend.remarks();
  }

  @Override
  public DeviceWay wayTo(Nic nic, Device device, DeviceAccess access) {
    return backend.wayTo(nic, device, access);
  }

  @Override
  public @Nullable WorkerLoop newLoop() {
    WorkerLoop loop = backend.newLoop();
    return loop == null ? null : new NotedLoop(loop, posts);
  }

  @Override
  public CompletionStage<ControlChannel> openControl(ControlContext context) {
    return backend.openControl(context.toBuilder().loop(real(context.loop())).build());
  }

  @Override
  public CompletionStage<Domain> open(Nic nic, OpenContext context) {
    return backend
        .open(nic, context.toBuilder().loop(real(context.loop())).build())
        .thenApply(opened -> new NotedDomain(opened, posts));
  }

  private static @Nullable WorkerLoop real(@Nullable WorkerLoop loop) {
    return loop instanceof NotedLoop noted ? noted.loop() : loop;
  }

  /** Each task that it is given is a turn of the engine, or two that follow each other. */
  private record NotedLoop(WorkerLoop loop, Posts posts) implements WorkerLoop {

    @Override
    public boolean inLoop() {
      return loop.inLoop();
    }

    @Override
    public void execute(Runnable task) {
      loop.execute(() -> {
        posts.turnBegins();
        task.run();
      });
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {
      loop.schedule(task, delayNanos);
    }

    @Override
    public CompletionStage<Void> close() {
      return loop.close();
    }
  }
}
