package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Peer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A cancel that finds a request whose hand-over has just completed: the request was looked up, and
 * then there is nothing left to stop. It is answered all the same, and at once: decode holds the
 * pages until then.
 */
@ParameterizedClass
@ValueSource(strings = "loopback")
class CancelAtCompletionTest extends HandOverFixture {

  @Test
  void isAnsweredAtOnce() throws InterruptedException {
    Mono<KvRequest> next = prefill.requests().next().cache();
    next.subscribe();
    Mono<KvArrival> arrival = decode.receive(order(), KEPT).cache();
    arrival.subscribe();
    KvRequest request = await(next);
    handOver(request, allLayers(request)).then().block(PATIENCE);
    await(arrival).release();

    BlockingQueue<KvMessage> heard = new LinkedTransferQueue<>();
    decodeNode
        .cache()
        .answers
        .add(
            request.id(),
            new Answers.Waiting() {
              @Override
              public void heard(Peer sender, KvMessage message) {
                heard.add(message);
              }

              @Override
              public void notUnderstood(Peer sender, KvFormatException why) {
                throw new AssertionError(why);
              }
            });
    prefill.desk().stop(request);

    KvMessage answer = heard.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(answer).isInstanceOf(KvMessage.End.class);
    KvMessage.End end = (KvMessage.End) answer;
    assertThat(end.outcome()).isEqualTo(KvMessage.Outcome.NOT_RUNNING);
    assertThat(end.quiet()).isTrue();
    requireSettled();
  }

  @Test
  void whatRunsAnswersByItself() {
    Mono<KvRequest> next = prefill.requests().next().cache();
    next.subscribe();
    CompletableFuture<KvArrival> arrival = decode.receive(order(), KEPT).toFuture();
    KvRequest request = await(next);
    handOver(request, Flux.never()).subscribe(written -> {}, failure -> {});
    prefill.desk().stop(request);
    prefill.desk().stop(request);
    assertThat(failureOf(arrival).reason()).isEqualTo(HandOverException.Reason.CANCELLED);
    requireSettled();
  }
}
