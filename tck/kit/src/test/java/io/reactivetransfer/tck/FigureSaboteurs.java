package io.reactivetransfer.tck;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.EngineStats;
import io.reactivetransfer.Nic;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TrafficStats;
import io.reactivetransfer.TransferEngine;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Engines that do not tell of themselves what is true. */
final class FigureSaboteurs {

  static final List<Saboteur> ALL =
      List.of(
          Saboteur.engine("27.1", "counts nothing of its first NIC", FigureSaboteurs::forgetsOne),
          Saboteur.engine("27.2", "counts no failures of peers", FigureSaboteurs::wellMeaning),
          Saboteur.options("27.3", "says nothing of streams", FigureSaboteurs::reserved)
              .entailing("27.4"),
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

  private static EngineOptions hiding(EngineOptions options) {
    EngineRecorder inner = options.recorder();
    EngineRecorder quiet =
        (EngineRecorder)
            Proxy.newProxyInstance(
                EngineId.class.getClassLoader(),
                new Class<?>[] {EngineRecorder.class},
                (_, method, arguments) -> {
                  try {
                    return method.invoke(inner, arguments);
                  } catch (InvocationTargetException hidden) {
                    return null;
                  }
                });
    return options.toBuilder().recorder(quiet).build();
  }
}
