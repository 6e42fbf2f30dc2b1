package io.reactivetransfer.examples.moe;

import io.reactivetransfer.examples.report.FigureTable;
import io.reactivetransfer.examples.report.Percentiles;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * How long the host needed in some steps until the NICs had the writes of each exchange, in
 * nanoseconds: the part that is ours, whatever the network does.
 */
final class HostTimes {

  /** What is exchanged. */
  enum Exchange {
    ROUTES,
    RESULTS
  }

  /** What is timed, in its order. */
  enum Moment {
    /** The call of {@code subscribe}. */
    ENQUEUE("enqueue", "0.12 / 2.02"),
    /** From there to the turn of the engine that posts the first write; -1 where none is seen. */
    HAND_OVER("hand-over", "0.86 / 1.45"),
    /** From there, or else from the call, until a NIC has the first write. */
    FIRST_POST("first post", "0.44 / 0.74"),
    /** The same for the last write. */
    LAST_POST("last post", "8.50 / 12.31");

    private final String text;
    private final String ofReference;

    Moment(String text, String ofReference) {
      this.text = text;
      this.ofReference = ofReference;
    }
  }

  private final Map<Exchange, Map<Moment, long[]>> nanos = new EnumMap<>(Exchange.class);

  private HostTimes(BiFunction<Exchange, Moment, long[]> of) {
    for (Exchange exchange : Exchange.values()) {
      Map<Moment, long[]> ofOne = new EnumMap<>(Moment.class);
      for (Moment moment : Moment.values()) {
        ofOne.put(moment, of.apply(exchange, moment));
      }
      nanos.put(exchange, ofOne);
    }
  }

  /** Of so many steps, not taken yet. */
  static HostTimes of(int steps) {
    return new HostTimes((exchange, moment) -> new long[steps]);
  }

  /** All of these, one behind the other. */
  static HostTimes of(List<HostTimes> all) {
    return new HostTimes((exchange, moment) ->
        all.stream().flatMapToLong(times -> LongStream.of(times.of(exchange, moment))).toArray());
  }

  /** All but those of the first step. */
  HostTimes withoutFirst() {
    return new HostTimes((exchange, moment) -> {
      long[] all = of(exchange, moment);
      return Arrays.copyOfRange(all, 1, all.length);
    });
  }

  /** Not a copy. */
  long[] of(Exchange exchange, Moment moment) {
    Map<Moment, long[]> ofOne = nanos.getOrDefault(exchange, Map.of());
    return ofOne.getOrDefault(moment, new long[0]);
  }

  /**
   * Takes what was seen in a step.
   *
   * @param begun before the caller's {@code subscribe}
   * @param enqueued after it
   * @param areTurnsSeen whether the posts know when their turn began
   */
  void set(
      Exchange exchange,
      int step,
      long begun,
      long enqueued,
      boolean areTurnsSeen,
      Posts.Moments posts) {
    // The engine may have begun with it before the call has returned, or be in a turn that goes on.
    long from = areTurnsSeen ? Math.max(begun, posts.turn()) : begun;
    of(exchange, Moment.ENQUEUE)[step] = enqueued - begun;
    of(exchange, Moment.HAND_OVER)[step] = areTurnsSeen ? Math.max(0, posts.turn() - enqueued) : -1;
    of(exchange, Moment.FIRST_POST)[step] = posts.first() - from;
    of(exchange, Moment.LAST_POST)[step] = posts.last() - from;
  }

  String toLine() {
    return all()
        .map(one -> LongStream.of(one).mapToObj(String::valueOf).collect(Collectors.joining(",")))
        .collect(Collectors.joining(";"));
  }

  private Stream<long[]> all() {
    return Stream.of(Exchange.values())
        .flatMap(exchange -> Stream.of(Moment.values()).map(moment -> of(exchange, moment)));
  }

  static HostTimes of(String line) {
    List<String> parts = List.of(line.split(";", -1));
    List<Moment> moments = List.of(Moment.values());
    List<Exchange> exchanges = List.of(Exchange.values());
    return new HostTimes((exchange, moment) ->
        Stream.of(
                parts
                    .get(exchanges.indexOf(exchange) * moments.size() + moments.indexOf(moment))
                    .split(",", -1))
            .mapToLong(Long::parseLong)
            .toArray());
  }

  /** The lines of the table, next to those of the reference system. */
  void print(FigureTable table, Plan plan) {
    table.line("p50/p99, us", row(moment -> moment.text));
    table.line("routes", row(moment -> text(of(Exchange.ROUTES, moment))));
    table.line("results", row(moment -> text(of(Exchange.RESULTS, moment))));
    table.line("reference", row(moment -> moment.ofReference));
    table.line(
        "",
        "the reference system's are of 64 ranks, each with a ConnectX-7; ours of %d ranks over %s"
            .formatted(plan.ranks(), plan.backend()));
    table.line(
        "",
        "results are copied before they are posted where NICs do not gather them, unless in place");
    if (of(Exchange.ROUTES, Moment.HAND_OVER)[0] < 0) {
      table.line(
          "",
          "%s has no loop of its own, so the first and the last post are from the call on"
              .formatted(plan.backend()));
    }
    table.line("", "64 ranks on one thread, over a NIC that moves nothing: examples/run host-work");
  }

  private static String row(Function<Moment, String> of) {
    return Stream.of(Moment.values())
        .map(moment -> "%-20s".formatted(of.apply(moment)))
        .collect(Collectors.joining())
        .stripTrailing();
  }

  private static String text(long[] nanos) {
    Percentiles of = Percentiles.of(nanos);
    return of.p50Millis() < 0
        ? "in first post"
        : "%.2f / %.2f".formatted(of.p50Millis() * 1e3, of.p99Millis() * 1e3);
  }
}
