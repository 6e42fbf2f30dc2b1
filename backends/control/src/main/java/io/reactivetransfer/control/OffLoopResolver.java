package io.reactivetransfer.control;

import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import reactor.core.scheduler.Schedulers;

/**
 * Looks names up as the JDK does, and so as the machine is set up, on a thread that may block.
 * Netty's own resolver, which does not block, knows less, and takes its query ids from a generator
 * that does.
 */
final class OffLoopResolver extends AddressResolverGroup<InetSocketAddress> {

  private final Executor blocking;

  OffLoopResolver() {
    this(Schedulers.boundedElastic()::schedule);
  }

  /** Looks names up there. */
  OffLoopResolver(Executor blocking) {
    this.blocking = blocking;
  }

  @Override
  protected AddressResolver<InetSocketAddress> newResolver(EventExecutor loop) {
    return new Names(loop).asAddressResolver();
  }

  private interface LookUp<T> {
    T find() throws UnknownHostException;
  }

  private final class Names extends InetNameResolver {

    Names(EventExecutor loop) {
      super(loop);
    }

    @Override
    protected void doResolve(String name, Promise<InetAddress> promise) {
      blocking.execute(() -> lookUp(() -> InetAddress.getByName(name), promise));
    }

    @Override
    protected void doResolveAll(String name, Promise<List<InetAddress>> promise) {
      blocking.execute(() -> lookUp(() -> List.of(InetAddress.getAllByName(name)), promise));
    }

    private <T> void lookUp(LookUp<T> lookUp, Promise<T> promise) {
      try {
        T found = lookUp.find();
        tell(() -> promise.trySuccess(found));
      } catch (UnknownHostException e) {
        tell(() -> promise.tryFailure(e));
      }
    }

    private void tell(Runnable outcome) {
      try {
        executor().execute(outcome);
      } catch (RejectedExecutionException e) {
        // The loop has ended, and with it who has asked.
      }
    }
  }
}
