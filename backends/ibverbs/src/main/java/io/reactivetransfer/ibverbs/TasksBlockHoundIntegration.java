package io.reactivetransfer.ibverbs;

import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * Tells BlockHound, where it is in use, that a NIC which is closed may wait for the calls that are
 * under way, and for nothing else. Public only because {@link java.util.ServiceLoader} makes it.
 */
public final class TasksBlockHoundIntegration implements BlockHoundIntegration {

  /** For the service loader. */
  public TasksBlockHoundIntegration() {}

  @Override
  public void applyTo(BlockHound.Builder builder) {
    builder.allowBlockingCallsInside(Tasks.class.getName(), "close");
  }
}
