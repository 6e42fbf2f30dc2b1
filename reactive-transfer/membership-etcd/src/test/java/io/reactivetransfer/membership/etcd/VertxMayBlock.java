package io.reactivetransfer.membership.etcd;

import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/** Vert.x, whose threads count as Netty's, takes a lock when its worker pools close. */
public final class VertxMayBlock implements BlockHoundIntegration {

  /** By BlockHound. */
  public VertxMayBlock() {}

  @Override
  public void applyTo(BlockHound.Builder builder) {
    builder.allowBlockingCallsInside("io.vertx.core.internal.WorkerPool", "close");
  }
}
