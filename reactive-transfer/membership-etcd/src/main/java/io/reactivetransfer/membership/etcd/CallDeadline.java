package io.reactivetransfer.membership.etcd;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Ends calls with one answer that have none in time. The client waits with a call until etcd is
 * there, and a cancel of what it returns does not reach the call: without this, all calls that were
 * given up while etcd was away would run when it is back.
 *
 * @param time that one call may take
 */
record CallDeadline(Duration time) implements ClientInterceptor {

  @Override
  public <A, B> ClientCall<A, B> interceptCall(
      MethodDescriptor<A, B> method, CallOptions options, Channel next) {
    boolean isBounded =
        method.getType() == MethodDescriptor.MethodType.UNARY && options.getDeadline() == null;
    return next.newCall(
        method,
        isBounded ? options.withDeadlineAfter(time.toMillis(), TimeUnit.MILLISECONDS) : options);
  }
}
