package io.reactivetransfer.weights.remote;

import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TraceContext;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.weights.check.ChecksumScope;
import io.reactivetransfer.weights.internal.Listener;
import io.reactivetransfer.weights.internal.MessageWriter;
import io.reactivetransfer.weights.version.WriteOrder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** An order that a trainer elsewhere was given, and whoever waits for it. Only in turns. */
final class RemoteRun {

  final Peer peer;
  final WriteOrder order;
  private final ChecksumScope checksums;
  private final Sinks.Empty<Void> sink = Sinks.empty();
  private final Disposable.Composite waits = Disposables.composite();
  private volatile @Nullable String trainer;

  /** Since something was heard of it, or it was asked. */
  int silentTicks;

  /**
   * It has not begun.
   *
   * @param mostBytes of a message. What a tracer sends along is left out where one would be longer
   */
  RemoteRun(Peer peer, WriteOrder order, ChecksumScope checksums, int mostBytes) {
    this.peer = peer;
    this.order = fitting(order, checksums, mostBytes);
    this.checksums = checksums;
  }

  private static WriteOrder fitting(WriteOrder order, ChecksumScope checksums, int mostBytes) {
    if (order.traceContext().isEmpty()) {
      return order;
    }
    WriteOrder without =
        new WriteOrder(order.update(), order.version(), order.targets(), TraceContext.NONE);
    long bytes;
    try {
      bytes =
          (long) RemoteCodec.encode(new RemoteMessage.Start(without, checksums)).remaining()
              + order.traceContext().encoded().remaining();
    } catch (IllegalArgumentException tooLong) {
      return without; // with which it is refused when it begins, by the name of the trainer
    }
    return bytes <= Math.min(mostBytes, MessageWriter.MAX_BYTES) ? order : without;
  }

  /** What whoever has given the order waits for. */
  Mono<Void> ended() {
    return sink.asMono();
  }

  /**
   * Tells the trainer, and looks for its loss.
   *
   * @param failed when it could not be told, or is lost
   */
  void begin(Mono<Void> sent, Consumer<Throwable> failed) {
    waits.add(Listener.ofEnd(sent, () -> {}, failure -> failed.accept(unreachable(failure))));
    waits.add(
        Listener.of(
            // How it was before is not looked at: whether it can be told says how it is.
            peer.state().skip(1).mapNotNull(state -> state.lossCause()),
            lost -> failed.accept(unreachable(lost)),
            () -> failed.accept(failure("this engine is closed")),
            failure -> failed.accept(unreachable(failure))));
  }

  private PeerUnreachableException unreachable(Throwable why) {
    return new PeerUnreachableException(
        name() + " is lost: " + why.getMessage(), TransferException.Origin.peer(peer.id()), why);
  }

  TransferFailedException failure(String why) {
    return new TransferFailedException(
        name() + " does not write: " + why, TransferException.Origin.peer(peer.id()), null);
  }

  /** For people, from any thread; its own name is known when it has said it. */
  String name() {
    String known = trainer;
    return "trainer " + (known == null ? "" : known + " ") + "at " + peer.address();
  }

  /**
   * Something was heard of it. It keeps the name that it has said first: it could choose another
   * one with each message, and each would be shown.
   */
  String heard(String name) {
    silentTicks = 0;
    String known = trainer;
    if (known != null) {
      return known;
    }
    trainer = name;
    return name;
  }

  /** What to say first. */
  RemoteMessage.Start start() {
    return new RemoteMessage.Start(order, checksums);
  }

  /** What to say when nothing was heard for a while. */
  RemoteMessage.Order again() {
    return trainer == null ? start() : new RemoteMessage.Ask(order.update());
  }

  void end() {
    waits.dispose();
  }

  void fail(Throwable why) {
    sink.tryEmitError(why);
  }

  void complete() {
    sink.tryEmitEmpty();
  }
}
