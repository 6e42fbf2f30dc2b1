package io.reactivetransfer.moe;

import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * An engine that has libraries on it do one thing wrong, or something that who uses them does: for
 * finding out that it is noticed.
 */
enum Mistake implements UnaryOperator<TransferEngine> {
  /** Does not wait for the last row. */
  READS_ROWS_EARLY,

  /** Does not wait for the last write of tokens. */
  READS_TOKENS_EARLY,

  /** Does not wait for the last block of results. */
  READS_RESULTS_EARLY,

  /** Of who uses it: writes to tokens that it has given before they were read. */
  USES_TOKENS_EARLY,

  /** Of who uses it: writes to results before they are summed up. */
  USES_RESULTS_EARLY,

  /** Uses sources again that are still being read. */
  WRITES_ARE_DONE_AT_ONCE,

  /** Sends no block that has no results. */
  SENDS_NOTHING_EMPTY,

  /** Does not say why it gives up. */
  SAYS_NOTHING,

  /** Does not give memory back that was registered, so that it may be written to later, too. */
  KEEPS_MEMORY,

  /** Takes what is said about an earlier epoch for said about the one that it is in. */
  TAKES_EARLIER_EPOCHS;

  @Override
  public TransferEngine apply(TransferEngine engine) {
    OddRegions regions = new OddRegions();
    EarlierEpochs epochs = new EarlierEpochs();
    return Proxied.of(
        TransferEngine.class,
        engine,
        (method, arguments) -> {
          switch (method) {
            case "lease" -> {
              return lease(engine.lease((int) arguments[0]));
            }
            case "submit" -> {
              return arguments[0] instanceof Publisher<?> writes
                  ? submit(engine, regions, writes, arguments)
                  : null;
            }
            case "register" -> {
              return this == KEEPS_MEMORY
                  ? engine
                      .register((MemorySegment) arguments[0])
                      .map(region -> regions.odd(region, Mistake::kept))
                  : null;
            }
            case "messages" -> {
              return this == TAKES_EARLIER_EPOCHS
                  ? engine.messages((MessageChannel) arguments[0]).map(epochs::taken)
                  : null;
            }
            case "send" -> {
              epochs.sent((ByteBuffer) arguments[2]);
              return this == SAYS_NOTHING && isGiveUp((ByteBuffer) arguments[2])
                  ? Mono.empty()
                  : null;
            }
            default -> {
              return null;
            }
          }
        });
  }

  private static Object kept(String method, Object[] arguments) {
    return method.equals("close") ? Mono.empty() : null;
  }

  private static boolean isGiveUp(ByteBuffer message) {
    return MoeCodec.decode(message.duplicate()) instanceof MoeMessage.GiveUp;
  }

  @SuppressWarnings("unchecked")
  private Object submit(
      TransferEngine engine, OddRegions regions, Publisher<?> writes, Object[] arguments) {
    Flux<Transfer> transfers = Flux.from((Publisher<Transfer>) writes);
    Duration deadline = (Duration) arguments[1];
    return switch (this) {
      case WRITES_ARE_DONE_AT_ONCE ->
          Flux.<Transfer>create(sink -> {
            Disposable all =
                engine
                    .submit(transfers.doOnNext(sink::next), deadline)
                    .onErrorComplete()
                    .subscribe();
            sink.onDispose(all);
          });
      case SENDS_NOTHING_EMPTY ->
          transfers.publish(all ->
              Flux.merge(
                  engine.submit(all.filter(write -> write.length() > 0), deadline),
                  all.filter(write -> write.length() == 0)));
      case KEEPS_MEMORY -> regions.submit(engine, writes, deadline);
      default -> null;
    };
  }

  private ImmLease lease(ImmLease lease) {
    int what =
        switch (this) {
          case READS_ROWS_EARLY -> Ranks.ROWS;
          case READS_TOKENS_EARLY -> Ranks.TOKENS;
          case READS_RESULTS_EARLY -> Ranks.RESULTS;
          default -> -1;
        };
    return Proxied.of(
        ImmLease.class,
        lease,
        (method, arguments) ->
            method.equals("counter") && (int) arguments[0] % Ranks.IMMS_PER_LANE == what
                ? early(lease.counter((int) arguments[0]))
                : null);
  }

  @SuppressWarnings("unchecked")
  private static ImmCounter early(ImmCounter counter) {
    return Proxied.of(
        ImmCounter.class,
        counter,
        (method, arguments) ->
            switch (method) {
              case "within" -> early(counter.within((Duration) arguments[0]));
              case "claims" ->
                  counter.claims(
                      (Publisher<Object>) arguments[0], one -> tooFew(arguments[1], one));
              default -> null;
            });
  }

  @SuppressWarnings("unchecked")
  private static long tooFew(Object writes, Object element) {
    return Math.max(0, ((ToLongFunction<Object>) writes).applyAsLong(element) - 1);
  }
}
