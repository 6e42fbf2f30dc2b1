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
import reactor.core.scheduler.Schedulers;

/**
 * Looks names up as the JDK does, and so as the machine is set up, on a thread that may block.
 * Netty's own resolver, which does not block, knows less, and takes its query ids from a generator
 * that does.
 */
final class OffLoopResolver extends AddressResolverGroup<InetSocketAddress> {

  @Override
  protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
    return new Names(executor).asAddressResolver();
  }

  private static final class Names extends InetNameResolver {

    Names(EventExecutor executor) {
      super(executor);
    }

    @Override
    protected void doResolve(String name, Promise<InetAddress> promise) {
      var _ = Schedulers.boundedElastic().schedule(() -> lookUpOne(name, promise));
    }

    @Override
    protected void doResolveAll(String name, Promise<List<InetAddress>> promise) {
      var _ = Schedulers.boundedElastic().schedule(() -> lookUpAll(name, promise));
    }

    private static void lookUpOne(String name, Promise<InetAddress> promise) {
      try {
        promise.trySuccess(InetAddress.getByName(name));
      } catch (UnknownHostException e) {
        promise.tryFailure(e);
      }
    }

    private static void lookUpAll(String name, Promise<List<InetAddress>> promise) {
      try {
        promise.trySuccess(List.of(InetAddress.getAllByName(name)));
      } catch (UnknownHostException e) {
        promise.tryFailure(e);
      }
    }
  }
}
