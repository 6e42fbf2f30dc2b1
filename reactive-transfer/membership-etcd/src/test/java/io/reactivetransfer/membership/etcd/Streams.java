package io.reactivetransfer.membership.etcd;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientStreamTracer;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** To which etcds the streams of a client go: watches, and renewals of leases. */
final class Streams implements ClientInterceptor {

  private final Set<Integer> ports = ConcurrentHashMap.newKeySet();

  /** Of all to which one has gone. */
  Set<Integer> ports() {
    return ports;
  }

  @Override
  public <A, B> ClientCall<A, B> interceptCall(
      MethodDescriptor<A, B> method, CallOptions options, Channel next) {
    boolean isStream = method.getType() == MethodDescriptor.MethodType.BIDI_STREAMING;
    return next.newCall(method, isStream ? options.withStreamTracerFactory(new Opened()) : options);
  }

  private final class Opened extends ClientStreamTracer.Factory {
    @Override
    public ClientStreamTracer newClientStreamTracer(
        ClientStreamTracer.StreamInfo info, Metadata headers) {
      return new ClientStreamTracer() {
        @Override
        public void streamCreated(Attributes transport, Metadata sent) {
          InetSocketAddress etcd =
              (InetSocketAddress) transport.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
          ports.add(etcd.getPort());
        }
      };
    }
  }
}
