package io.reactivetransfer.moe;

import io.reactivetransfer.Access;
import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.GatherList;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** Counts the writes of engines that gather tokens of the application, and those of results. */
final class Gatherings implements UnaryOperator<TransferEngine> {

  long tokens;
  long results;

  @Override
  @SuppressWarnings("unchecked")
  public TransferEngine apply(TransferEngine engine) {
    return Proxied.of(
        TransferEngine.class,
        engine,
        (method, arguments) ->
            method.equals("submit") && arguments[0] instanceof Publisher<?> writes
                ? engine.submit(
                    Flux.from((Publisher<Transfer>) writes).doOnNext(this::count),
                    (Duration) arguments[1])
                : null);
  }

  private void count(Transfer write) {
    if (write instanceof AimedWrite aimed) {
      GatherList list = aimed.list();
      if (list != null && list.size() > 1) {
        if (aimed.source().access() == Access.LOCAL) {
          tokens++;
        } else {
          results++;
        }
      }
    }
  }
}
