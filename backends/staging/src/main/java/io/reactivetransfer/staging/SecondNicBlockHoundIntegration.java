package io.reactivetransfer.staging;

import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * Tells BlockHound, where it is in use, that whoever closes may wait for the second NIC that is
 * being opened, and for nothing else. Public only because {@link java.util.ServiceLoader} makes it.
 */
public final class SecondNicBlockHoundIntegration implements BlockHoundIntegration {

  /** For the service loader. */
  public SecondNicBlockHoundIntegration() {}

  @Override
  public void applyTo(BlockHound.Builder builder) {
    builder.allowBlockingCallsInside(SecondNic.class.getName(), "isEnded");
  }
}
