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
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Engines that do not tell of themselves what is true. */
final class FigureSaboteurs {

  static final List<Saboteur> ALL =
      Stream.of(
              Stream.of(
                  Saboteur.engine(
                      "27.1", "counts nothing of its first NIC", FigureSaboteurs::forgetsOne),
                  Saboteur.engine(
                      "27.1", "counts bytes that came of one NIC", FigureSaboteurs::halfBlind),
                  silent("27.1", "bytesArrived", 0L),
                  Saboteur.options("27.4", "hides what a recorder throws", FigureSaboteurs::hiding),
                  Saboteur.options("27.3", "tells on another thread", FigureSaboteurs::elsewhere),
                  untold("of streams", "streamEnded").entailing("27.4"),
                  untold("of its beginning", "opened").entailing("27.4"),
                  untold("of its end", "closed").entailing("27.4"),
                  untold("of peers that are found", "peerFound").entailing("27.4"),
                  untold("of peers that are lost", "peerLost"),
                  untold("of NICs that fail", "nicFailed"),
                  untold("of ways that are lost", "wayLost"),
                  untold("of transfers that fail", "transferFailed"),
                  untold("of transfers that are rejected", "transferRejected"),
                  ending("says that no stream has waited", "queued", _ -> Duration.ZERO),
                  ending("says that streams do nothing but wait", "queued", StreamEnd::duration),
                  ending("says that nothing of streams was posted", "isPosted", _ -> false),
                  ending("says that of each stream something was posted", "isPosted", _ -> true),
                  ending("says that streams take no time", "duration", _ -> Duration.ZERO),
                  ending("says that streams have no bytes", "bytes", _ -> 0L),
                  ending("says that streams do not fail", "failure", _ -> null)),
              Stream.of("writesFailed", "refusals", "transfersQueued")
                  .map(figure -> silent("27.2", figure, 0L)),
              Stream.of(silent("27.2", "timeQueued", Duration.ZERO)),
              Stream.of("messagesReceived", "messagesWaiting")
                  .map(figure -> silent("27.5", figure, 0L)))
          .flatMap(all -> all)
          .toList();

  private FigureSaboteurs() {}

  private static TransferEngine forgetsOne(TransferEngine engine) {
    return withoutFigureOfFirstNic(engine, "writesPosted");
  }

  private static TransferEngine halfBlind(TransferEngine engine) {
    return withoutFigureOfFirstNic(engine, "bytesArrived");
  }

  private static TransferEngine withoutFigureOfFirstNic(TransferEngine engine, String figure) {
    return new ForwardingEngine(engine) {
      @Override
      public EngineStats stats() {
        EngineStats all = inner.stats();
        Map<Nic, TrafficStats> nics = new LinkedHashMap<>(all.nics());
        Nic first = nics.keySet().iterator().next();
        TrafficStats none = Altered.figure(TrafficStats.class, nics.get(first), figure, 0L);
        nics.put(first, none);
        return Altered.figure(EngineStats.class, all, "nics", nics);
      }
    };
  }

  private static Saboteur silent(String rule, String figure, Object none) {
    return Saboteur.engine(
        rule, "says of peers no " + figure, engine -> withoutFigure(engine, figure, none));
  }

  /** Says that of each peer. */
  private static TransferEngine withoutFigure(TransferEngine engine, String figure, Object none) {
    return new ForwardingEngine(engine) {
      @Override
      public List<Peer> peers() {
        return inner.peers().stream()
            .map(peer -> {
              TrafficStats stats = Altered.figure(TrafficStats.class, peer.stats(), figure, none);
              return Altered.figure(Peer.class, peer, "stats", stats);
            })
            .toList();
      }
    };
  }

  /** Does not tell the recorder something. */
  private static Saboteur untold(String what, String method) {
    return Saboteur.options(
        "27.3",
        "says nothing " + what,
        options ->
            options.toBuilder()
                .recorder(Altered.figure(EngineRecorder.class, options.recorder(), method, null))
                .build());
  }

  /** Tells of streams on a thread of its own. */
  private static EngineOptions elsewhere(EngineOptions options) {
    return told(
        options,
        (inner, method, arguments) ->
            method.getName().equals("streamEnded")
                ? CompletableFuture.supplyAsync(() -> invoke(inner, method, arguments)).join()
                : method.invoke(inner, arguments));
  }

  private static @Nullable Object invoke(Object inner, Method method, Object[] arguments) {
    try {
      return method.invoke(inner, arguments);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Says something else of the ends of streams. */
  private static Saboteur ending(
      String defect, String figure, Function<StreamEnd, @Nullable Object> instead) {
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
