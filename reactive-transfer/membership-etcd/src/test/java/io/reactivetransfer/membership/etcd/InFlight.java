package io.reactivetransfer.membership.etcd;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the calls of a client with one answer: how many have begun, and how many have ended. */
final class InFlight implements ClientInterceptor {

  private final String counted;
  final AtomicInteger begun = new AtomicInteger();
  final AtomicInteger ended = new AtomicInteger();

  /** All of them. */
  InFlight() {
    this("");
  }

  /** Those of the methods whose names end so. */
  InFlight(String counted) {
    this.counted = counted;
  }

  @Override
  public <A, B> ClientCall<A, B> interceptCall(
      MethodDescriptor<A, B> method, CallOptions options, Channel next) {
    ClientCall<A, B> call = next.newCall(method, options);
    boolean isCounted =
        method.getType() == MethodDescriptor.MethodType.UNARY
            && method.getFullMethodName().endsWith(counted);
    return isCounted ? counted(call) : call;
  }

  private <A, B> ClientCall<A, B> counted(ClientCall<A, B> call) {
    return new SimpleForwardingClientCall<>(call) {
      @Override
      public void start(Listener<B> listener, Metadata headers) {
        begun.incrementAndGet();
        super.start(
            new SimpleForwardingClientCallListener<>(listener) {
              @Override
              public void onClose(Status status, Metadata trailers) {
                ended.incrementAndGet();
                super.onClose(status, trailers);
              }
            },
            headers);
      }
    };
  }
}
