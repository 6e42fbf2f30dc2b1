package io.reactivetransfer.engine;

import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * Tells BlockHound, where it is in use, that a NIC thread may wait when it is idle, and nowhere
 * else. Public only because {@link java.util.ServiceLoader} makes it.
 */
public final class NicThreadBlockHoundIntegration implements BlockHoundIntegration {

  /** For the service loader. */
  public NicThreadBlockHoundIntegration() {}

  @Override
  public void applyTo(BlockHound.Builder builder) {
    builder.allowBlockingCallsInside(NicThread.class.getName(), "idle");
  }
}
