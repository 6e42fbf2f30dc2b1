package io.reactivetransfer.moe;

import io.reactivetransfer.Access;
import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
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

  /** Of who uses it: has results sent before experts have put them. */
  SENDS_RESULTS_EARLY,

  /** Of who uses it: writes to results before they are summed up. */
  USES_RESULTS_EARLY,

  /** Uses sources again that are still being read. */
  WRITES_ARE_DONE_AT_ONCE,

  /** The same with what results are sent from, and nothing else. */
  RESULTS_ARE_DONE_AT_ONCE,

  /** Sends no block that has no results. */
  SENDS_NOTHING_EMPTY,

  /** Does not say why it gives up. */
  SAYS_NOTHING,

  /** Does not give memory back that was registered, so that it may be written to later, too. */
  KEEPS_MEMORY,

  /** Takes what is said about an earlier epoch for said about the one that it is in. */
  TAKES_EARLIER_EPOCHS,

  /** Raises a word as soon as it is waited for, and not when all has come. */
  RAISES_FLAGS_EARLY,

  /** Says that memory is quiet while it is still being read. */
  SIGNALS_BEFORE_QUIET,

  /** Says so of tokens that are registered, and of nothing else. */
  TOKENS_ARE_QUIET_AT_ONCE,

  /** Tells others another rank than the one that is the reason. */
  BLAMES_ANOTHER,

  /** Waits without a deadline for what has to come. */
  CLAIMS_WITHOUT_DEADLINE;

  private static final Duration FOR_EVER = Duration.ofDays(365);
  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

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
              return register(engine, regions, arguments);
            }
            case "messages" -> {
              return this == TAKES_EARLIER_EPOCHS
                  ? engine.messages((MessageChannel) arguments[0]).map(epochs::taken)
                  : null;
            }
            case "send" -> {
              epochs.sent((ByteBuffer) arguments[2]);
              return MoeCodec.decode(((ByteBuffer) arguments[2]).duplicate())
                      instanceof MoeMessage.GiveUp giveUp
                  ? giveUp(engine, giveUp, arguments)
                  : null;
            }
            default -> {
              return null;
            }
          }
        });
  }

  /** A group registers its memory for others, too, and the application its tokens for itself. */
  private Object register(TransferEngine engine, OddRegions regions, Object[] arguments) {
    if (arguments[0] instanceof MemorySegment memory) {
      return this == KEEPS_MEMORY || this == SIGNALS_BEFORE_QUIET
          ? engine.register(memory).map(region -> regions.odd(region, this::ofRegion))
          : null;
    }
    return this == TOKENS_ARE_QUIET_AT_ONCE
        ? engine
            .register((Memory) arguments[0], (Access) arguments[1])
            .map(region -> regions.odd(region, this::ofRegion))
        : null;
  }

  private Object ofRegion(String method, Object[] arguments) {
    return method.equals(this == KEEPS_MEMORY ? "close" : "quiesced") ? Mono.empty() : null;
  }

  private Object giveUp(TransferEngine engine, MoeMessage.GiveUp giveUp, Object[] arguments) {
    return switch (this) {
      case SAYS_NOTHING -> Mono.empty();
      case BLAMES_ANOTHER -> {
        int other = giveUp.blamed() == 0 ? 1 : 0;
        ByteBuffer message =
            MoeCodec.encode(
                new MoeMessage.GiveUp(giveUp.group(), other, giveUp.to(), giveUp.why()));
        yield engine.send((Peer) arguments[0], (MessageChannel) arguments[1], message);
      }
      default -> null;
    };
  }

  @SuppressWarnings("unchecked")
  private Object submit(
      TransferEngine engine, OddRegions regions, Publisher<?> writes, Object[] arguments) {
    Flux<Transfer> transfers = Flux.from((Publisher<Transfer>) writes);
    Duration deadline = (Duration) arguments[1];
    return switch (this) {
      case WRITES_ARE_DONE_AT_ONCE -> doneAtOnce(engine, transfers, deadline);
      case RESULTS_ARE_DONE_AT_ONCE ->
          transfers.switchOnFirst((first, all) ->
              // Only streams of tokens begin with rows, which are never aimed anew.
              first.get() instanceof AimedWrite
                  ? doneAtOnce(engine, all, deadline)
                  : engine.submit(all, deadline));
      case SENDS_NOTHING_EMPTY ->
          transfers.publish(all ->
              Flux.merge(
                  engine.submit(all.filter(write -> write.length() > 0), deadline),
                  all.filter(write -> write.length() == 0)));
      case KEEPS_MEMORY, SIGNALS_BEFORE_QUIET, TOKENS_ARE_QUIET_AT_ONCE ->
          regions.submit(engine, writes, deadline);
      default -> null;
    };
  }

  /** Copies go, since those that were given are used again at once. */
  private static Flux<Transfer> doneAtOnce(
      TransferEngine engine, Flux<Transfer> transfers, Duration deadline) {
    return Flux.create(sink -> {
      Disposable all =
          engine
              .submit(
                  transfers.map(write -> {
                    Transfer copy =
                        write instanceof AimedWrite aimed
                            ? OddRegions.copy(aimed, aimed.source())
                            : write;
                    sink.next(write);
                    return copy;
                  }),
                  deadline)
              .onErrorComplete()
              .subscribe();
      sink.onDispose(all);
    });
  }

  private ImmLease lease(ImmLease lease) {
    return Proxied.of(
        ImmLease.class,
        lease,
        (method, arguments) ->
            method.equals("counter")
                ? counter(lease.counter((int) arguments[0]), (int) arguments[0])
                : null);
  }

  private ImmCounter counter(ImmCounter counter, int index) {
    int what = index % Ranks.IMMS_PER_LANE;
    return switch (this) {
      case READS_ROWS_EARLY -> what == Ranks.ROWS ? early(counter) : counter;
      case READS_TOKENS_EARLY -> what == Ranks.TOKENS ? early(counter) : counter;
      case READS_RESULTS_EARLY -> what == Ranks.RESULTS ? early(counter) : counter;
      case RAISES_FLAGS_EARLY -> raisingEarly(counter);
      case CLAIMS_WITHOUT_DEADLINE ->
          Proxied.of(
              ImmCounter.class,
              counter,
              (method, arguments) -> method.equals("within") ? counter.within(FOR_EVER) : null);
      default -> counter;
    };
  }

  @SuppressWarnings("unchecked")
  private static ImmCounter early(ImmCounter counter) {
    return Proxied.of(
        ImmCounter.class,
        counter,
        (method, arguments) ->
            switch (method) {
              case "within" -> early(counter.within((Duration) arguments[0]));
              case "raising" -> early(counter.raising((MemorySegment) arguments[0]));
              case "claims" ->
                  counter.claims(
                      (Publisher<Object>) arguments[0], one -> tooFew(arguments[1], one));
              default -> null;
            });
  }

  private static ImmCounter raisingEarly(ImmCounter counter) {
    return Proxied.of(
        ImmCounter.class,
        counter,
        (method, arguments) ->
            switch (method) {
              case "within" -> raisingEarly(counter.within((Duration) arguments[0]));
              case "raising" -> raising(counter, (MemorySegment) arguments[0]);
              default -> null;
            });
  }

  @SuppressWarnings("unchecked")
  private static ImmCounter raising(ImmCounter counter, MemorySegment word) {
    return Proxied.of(
        ImmCounter.class,
        counter,
        (method, arguments) ->
            method.equals("claims")
                ? counter.claims(
                    Flux.from((Publisher<Object>) arguments[0])
                        .doOnNext(claim -> WORD.getAndAdd(word, 0L, 1L)),
                    (ToLongFunction<Object>) arguments[1])
                : null);
  }

  @SuppressWarnings("unchecked")
  private static long tooFew(Object writes, Object element) {
    return Math.max(0, ((ToLongFunction<Object>) writes).applyAsLong(element) - 1);
  }
}
