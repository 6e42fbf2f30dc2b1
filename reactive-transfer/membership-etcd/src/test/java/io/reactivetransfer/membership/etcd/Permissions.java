package io.reactivetransfer.membership.etcd;

import static io.reactivetransfer.membership.etcd.EtcdServer.bytes;

import io.etcd.jetcd.Auth;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.auth.Permission;
import io.etcd.jetcd.options.OptionsUtil;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import java.util.concurrent.atomic.AtomicInteger;

/** Has a role not read nodes while a client asks for its first watch, and else read and write. */
final class Permissions implements ClientInterceptor {

  private static final ByteSequence BEGIN = bytes("/reactive-transfer/nodes/");
  private static final ByteSequence END = OptionsUtil.prefixEndOf(BEGIN);

  /** How many were asked for. */
  final AtomicInteger watches = new AtomicInteger();

  private final Auth root;
  private final ByteSequence role;

  Permissions(Auth root, String role) {
    this.root = root;
    this.role = bytes(role);
  }

  @Override
  public <A, B> ClientCall<A, B> interceptCall(
      MethodDescriptor<A, B> method, CallOptions options, Channel next) {
    switch (String.valueOf(method.getBareMethodName())) {
      case "Watch" -> beforeWatch();
      case "Range", "Put" -> grant();
      default -> {}
    }
    return next.newCall(method, options);
  }

  private void beforeWatch() {
    if (watches.getAndIncrement() == 0) {
      root.roleRevokePermission(role, BEGIN, END).join();
    }
  }

  private void grant() {
    root.roleGrantPermission(role, BEGIN, END, Permission.Type.READWRITE).join();
  }
}
