package io.reactivetransfer.tck;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.EngineRecorder.StreamEnd;
import io.reactivetransfer.EngineStats;
import io.reactivetransfer.Nic;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TrafficStats;
import io.reactivetransfer.TransferEngine;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Engines that do not tell of themselves what is true. */
final class FigureSaboteurs {

  static final List<Saboteur> ALL =
      List.of(
          Saboteur.engine("27.1", "counts nothing of its first NIC", FigureSaboteurs::forgetsOne),
          Saboteur.engine("27.2", "counts no failures of peers", FigureSaboteurs::wellMeaning),
          Saboteur.options("27.3", "says nothing of streams", FigureSaboteurs::reserved)
              .entailing("27.4"),
          ending("says that no stream has waited", "queued", _ -> Duration.ZERO),
          ending("says that streams do nothing but wait", "queued", StreamEnd::duration),
          ending("says that nothing of streams was posted", "isPosted", _ -> false),
          ending("says that of each stream something was posted", "isPosted", _ -> true),
          Saboteur.options("27.4", "hides what a recorder throws", FigureSaboteurs::hiding),
          Saboteur.engine("27.5", "counts no messages that come", FigureSaboteurs::deaf));

  private FigureSaboteurs() {}

  private static TransferEngine forgetsOne(TransferEngine engine) {
    return new ForwardingEngine(engine) {
      @Override
      public EngineStats stats() {
        EngineStats all = inner.stats();
        Map<Nic, TrafficStats> nics = new LinkedHashMap<>(all.nics());
        Nic first = nics.keySet().iterator().next();
        TrafficStats none = Altered.figure(TrafficStats.class, nics.get(first), "writesPosted", 0L);
        nics.put(first, none);
        return Altered.figure(EngineStats.class, all, "nics", nics);
      }
    };
  }

  private static TransferEngine wellMeaning(TransferEngine engine) {
    return withoutFigure(engine, "writesFailed");
  }

  private static TransferEngine deaf(TransferEngine engine) {
    return withoutFigure(engine, "messagesReceived");
  }

  /** Says 0 of each peer. */
  private static TransferEngine withoutFigure(TransferEngine engine, String figure) {
    return new ForwardingEngine(engine) {
      @Override
      public List<Peer> peers() {
        return inner.peers().stream()
            .map(peer -> {
              TrafficStats stats = Altered.figure(TrafficStats.class, peer.stats(), figure, 0L);
              return Altered.figure(Peer.class, peer, "stats", stats);
            })
            .toList();
      }
    };
  }

  private static EngineOptions reserved(EngineOptions options) {
    EngineRecorder inner = options.recorder();
    return options.toBuilder()
        .recorder(Altered.figure(EngineRecorder.class, inner, "streamEnded", null))
        .build();
  }

  /** Says something else of the ends of streams. */
  private static Saboteur ending(
      String defect, String figure, Function<StreamEnd, Object> instead) {
    return Saboteur.options(
        "27.3",
        defect,
        options ->
            told(
                options,
                (inner, method, arguments) -> {
                  Object[] changed =
                      arguments == null
                          ? null
                          : Arrays.stream(arguments)
                              .map(each ->
                                  each instanceof StreamEnd end
                                      ? Altered.figure(
                                          StreamEnd.class, end, figure, instead.apply(end))
                                      : each)
                              .toArray();
                  try {
                    return method.invoke(inner, changed);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                }));
  }

  private static EngineOptions hiding(EngineOptions options) {
    return told(
        options,
        (inner, method, arguments) -> {
          try {
            return method.invoke(inner, arguments);
          } catch (InvocationTargetException hidden) {
            return null;
          }
        });
  }

  /** The recorder is told by this what it is told. */
  private static EngineOptions told(EngineOptions options, InvocationHandler how) {
    EngineRecorder inner = options.recorder();
    EngineRecorder outer =
        (EngineRecorder)
            Proxy.newProxyInstance(
                EngineId.class.getClassLoader(),
                new Class<?>[] {EngineRecorder.class},
                (_, method, arguments) -> how.invoke(inner, method, arguments));
    return options.toBuilder().recorder(outer).build();
  }
}
