package io.reactivetransfer.membership.kubernetes;

import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * The API server for tests waits for its own threads on those of Vert.x, which count as Netty's.
 * Nobody else has any here.
 */
public final class ServerMayBlock implements BlockHoundIntegration {

  /** By BlockHound. */
  public ServerMayBlock() {}

  @Override
  public void applyTo(BlockHound.Builder builder) {
    builder.allowBlockingCallsInside("io.netty.util.concurrent.FastThreadLocalRunnable", "run");
  }
}
