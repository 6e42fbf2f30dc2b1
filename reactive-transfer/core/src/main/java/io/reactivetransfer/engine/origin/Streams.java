package io.reactivetransfer.engine.origin;

import io.reactivetransfer.Transfer;
import io.reactivetransfer.engine.base.Admission;
import io.reactivetransfer.engine.base.Commands;
import io.reactivetransfer.engine.base.Counters;
import io.reactivetransfer.engine.base.SignalScheduler;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/**
 * What all streams of one engine are given.
 *
 * @param submissions where each is registered
 * @param launch what begins their flights
 * @param flights what ends them
 * @param commands how each reaches the NIC thread
 * @param signals where each signals
 * @param admission how many there may be
 * @param counters how many of their transfers are in flight
 * @param recording who is told of their ends
 */
public record Streams(
    Submissions submissions,
    Launch launch,
    FlightControl flights,
    Commands commands,
    SignalScheduler signals,
    Admission admission,
    Counters counters,
    StreamRecording recording) {

  /** A stream of transfers, once for each subscription. */
  public <T extends Transfer, R> Flux<R> of(
      Publisher<? extends T> transfers, Results<T, R> results, int window, long deadlineNanos) {
    return new TransferFlux<>(this, transfers, results, window, deadlineNanos);
  }
}
