package io.reactivetransfer.examples.together;

import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** An engine on which libraries meet each other: for finding out that it is noticed. */
enum SharedEngineMistake implements UnaryOperator<TransferEngine> {
  /** Leases what is leased already. */
  LEASES_TWICE,

  /** Begins each lease with the last immediate of the one before. */
  OVERLAPS_LEASES,

  /** Brings what was sent on one channel to whoever listens on another. */
  MIXES_UP_CHANNELS;

  /** Enough for whoever asks first, so that whoever asks later can be given a part of it. */
  private static final int SHARED = 256;

  /** Enough for all leases of a run, one behind the other. */
  private static final int ALL = 4_096;

  @Override
  public TransferEngine apply(TransferEngine engine) {
    AtomicReference<@Nullable ImmLease> shared = new AtomicReference<>();
    AtomicInteger next = new AtomicInteger();
    Map<MessageChannel, MessageChannel> channels = new HashMap<>();
    return instead(
        TransferEngine.class,
        engine,
        (method, arguments) ->
            switch (method) {
              case "lease" ->
                  switch (this) {
                    case LEASES_TWICE -> again(engine, shared);
                    case OVERLAPS_LEASES ->
                        overlapping(
                            engine, shared, next, arguments.length == 0 ? 1 : (int) arguments[0]);
                    case MIXES_UP_CHANNELS -> null;
                  };
              case "send" ->
                  this == MIXES_UP_CHANNELS && arguments.length == 3
                      ? engine.send(
                          (Peer) arguments[0],
                          mixedUp(channels, (MessageChannel) arguments[1]),
                          (ByteBuffer) arguments[2])
                      : null;
              default -> null;
            });
  }

  /** The first channel that was used, for whatever is sent. */
  private static MessageChannel mixedUp(
      Map<MessageChannel, MessageChannel> channels, MessageChannel channel) {
    return channels.computeIfAbsent(
        channel, own -> channels.isEmpty() ? own : channels.values().iterator().next());
  }

  private static ImmLease again(TransferEngine engine, AtomicReference<@Nullable ImmLease> shared) {
    ImmLease first = shared.updateAndGet(lease -> lease == null ? engine.lease(SHARED) : lease);
    return instead(
        ImmLease.class, first, (method, _) -> method.equals("close") ? Mono.empty() : null);
  }

  private static ImmLease overlapping(
      TransferEngine engine,
      AtomicReference<@Nullable ImmLease> shared,
      AtomicInteger next,
      int size) {
    ImmLease all = shared.updateAndGet(lease -> lease == null ? engine.lease(ALL) : lease);
    int first = next.getAndAdd(size - 1);
    return instead(
        ImmLease.class,
        all,
        (method, arguments) ->
            switch (method) {
              case "size" -> size;
              case "imm" -> all.imm(first + index(arguments));
              case "counter" -> all.counter(first + index(arguments));
              case "close" -> Mono.empty(); // none of it is given back
              default -> null;
            });
  }

  private static int index(Object[] arguments) {
    return arguments.length == 0 ? 0 : (int) arguments[0];
  }

  private interface Instead {
    @Nullable Object of(String method, Object[] arguments);
  }

  private static <T> T instead(Class<T> type, T original, Instead instead) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> {
              Object other =
                  instead.of(method.getName(), arguments == null ? new Object[0] : arguments);
              try {
                return other == null ? method.invoke(original, arguments) : other;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
