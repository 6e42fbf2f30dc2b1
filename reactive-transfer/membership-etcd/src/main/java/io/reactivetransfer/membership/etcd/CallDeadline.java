package io.reactivetransfer.membership.etcd;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientStreamTracer;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Ends calls with one answer that have none in time. The client waits with a call until etcd is
 * there, and a cancel of what it returns does not reach the call: without this, all calls that were
 * given up while etcd was away would run when it is back.
 *
 * <p>An etcd that has lost the others of its cluster refuses them at once, as it does with streams,
 * and the client asks another one. Else it would keep each until its time is over; and since calls
 * go to all in turn, somebody who needs some in a row would never have them.
 *
 * @param time that one call may take
 * @param onUnconnected runs after a call whose time was over before there was a connection for it
 * @param onConnected runs when there is a connection for a call
 */
record CallDeadline(Duration time, Runnable onUnconnected, Runnable onConnected)
    implements ClientInterceptor {

  private static final Metadata.Key<String> HAS_LEADER =
      Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);

  @Override
  public <A, B> ClientCall<A, B> interceptCall(
      MethodDescriptor<A, B> method, CallOptions options, Channel next) {
    if (method.getType() != MethodDescriptor.MethodType.UNARY || options.getDeadline() != null) {
      return next.newCall(method, options);
    }
    Connected connected = new Connected(onConnected);
    return new SimpleForwardingClientCall<>(
        next.newCall(
            method,
            options
                .withDeadlineAfter(time.toMillis(), TimeUnit.MILLISECONDS)
                .withStreamTracerFactory(connected))) {
      @Override
      public void start(Listener<B> listener, Metadata headers) {
        headers.discardAll(HAS_LEADER);
        headers.put(HAS_LEADER, "true");
        super.start(observed(listener, connected), headers);
      }
    };
  }

  private <B> ClientCall.Listener<B> observed(
      ClientCall.Listener<B> listener, Connected connected) {
    return new SimpleForwardingClientCallListener<>(listener) {
      @Override
      public void onClose(Status status, Metadata trailers) {
        super.onClose(status, trailers);
        if (status.getCode() == Status.Code.DEADLINE_EXCEEDED && !connected.isConnected) {
          onUnconnected.run();
        }
      }
    };
  }

  /** Whether a call was given to a connection. */
  private static final class Connected extends ClientStreamTracer.Factory {
    private final Runnable onConnected;
    private volatile boolean isConnected;

    Connected(Runnable onConnected) {
      this.onConnected = onConnected;
    }

    @Override
    public ClientStreamTracer newClientStreamTracer(
        ClientStreamTracer.StreamInfo info, Metadata headers) {
      return new ClientStreamTracer() {
        @Override
        public void streamCreated(Attributes transport, Metadata sent) {
          isConnected = true;
          onConnected.run();
        }
      };
    }
  }
}
