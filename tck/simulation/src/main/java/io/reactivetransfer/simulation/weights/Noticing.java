package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.simulation.ForwardingCalls;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;

/** Notices what a library does with an engine, and changes nothing. */
final class Noticing {

  private Noticing() {}

  /** The same engine; somebody gets each of its regions to which no others write. */
  static TransferEngine localRegions(TransferEngine engine, Consumer<MemoryRegion> told) {
    return ForwardingCalls.of(
        TransferEngine.class,
        engine,
        "register",
        args -> {
          Access access = (Access) args[1];
          Mono<MemoryRegion> region = engine.register((Memory) args[0], access);
          return access.equals(Access.LOCAL) ? region.doOnNext(told) : region;
        });
  }

  /** The same engine; of all that is registered with it somebody is told. */
  static TransferEngine registrations(TransferEngine engine, Consumer<MemorySegment> told) {
    Object made =
        Proxy.newProxyInstance(
            TransferEngine.class.getClassLoader(),
            new Class<?>[] {TransferEngine.class},
            (proxy, method, args) -> {
              if (method.getName().equals("register") && args[0] instanceof HostMemory memory) {
                told.accept(memory.segment());
              }
              try {
                return method.invoke(engine, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    return (TransferEngine) made;
  }
}
