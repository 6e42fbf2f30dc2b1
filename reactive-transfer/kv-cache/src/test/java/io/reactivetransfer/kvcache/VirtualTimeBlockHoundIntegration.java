package io.reactivetransfer.kvcache;

import java.util.concurrent.PriorityBlockingQueue;
import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * Lets threads that must not block use reactor-test's {@code VirtualTimeScheduler}. The queue of
 * its tasks is behind a lock, and two threads that schedule at the same moment wait for it: without
 * this, one of them gets an error in place of a timer, and a test that never advances the time
 * waits for what that timer was to guard.
 */
public final class VirtualTimeBlockHoundIntegration implements BlockHoundIntegration {

  @Override
  public void applyTo(BlockHound.Builder builder) {
    for (String method : new String[] {"offer", "poll", "peek", "remove", "size"}) {
      builder.allowBlockingCallsInside(PriorityBlockingQueue.class.getName(), method);
    }
  }
}
