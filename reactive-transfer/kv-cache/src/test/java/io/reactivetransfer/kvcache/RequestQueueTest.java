package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;

/** A reader that goes while it is about to be given a request: the next one gets it. */
@ParameterizedClass
@ValueSource(strings = "loopback")
class RequestQueueTest extends HandOverFixture {

  private final List<KvRequest> left = new CopyOnWriteArrayList<>();
  private final RequestQueue queue = new RequestQueue((request, isTaken) -> left.add(request));

  private static final class Reader extends BaseSubscriber<KvRequest> {
    final List<KvRequest> got = new CopyOnWriteArrayList<>();

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      subscription.request(10);
    }

    @Override
    protected void hookOnNext(KvRequest request) {
      got.add(request);
    }
  }

  private List<KvRequest> requests(int count) {
    List<KvRequest> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      decode.receive(order(), KEPT).subscribe(come -> {}, failed -> {});
      all.add(nextRequest());
    }
    return all;
  }

  /** Has a reader go when the request is polled, and it is looked whether it is open yet. */
  private Reader cancelledWhilePolled(KvRequest request) throws InterruptedException {
    Reader first = new Reader();
    queue.subscribe(first);
    Thread giver = new Thread(() -> queue.add(request));
    synchronized (request) {
      giver.start();
      await().atMost(PATIENCE).until(() -> giver.getState() == Thread.State.BLOCKED);
      first.cancel();
    }
    giver.join(PATIENCE.toMillis());
    return first;
  }

  @Test
  void isGivenToTheNextOneFirst() throws InterruptedException {
    List<KvRequest> two = requests(2);
    Reader first = cancelledWhilePolled(two.getFirst());
    queue.add(two.getLast());
    Reader second = new Reader();
    queue.subscribe(second);
    assertThat(first.got).isEmpty();
    assertThat(second.got).containsExactlyElementsOf(two);
    assertThat(left).containsExactlyElementsOf(two);
  }

  @Test
  void isRefusedWhenThereIsNoNextOne() throws InterruptedException {
    KvRequest request = requests(1).getFirst();
    Reader first = new Reader();
    queue.subscribe(first);
    Thread giver = new Thread(() -> queue.add(request));
    synchronized (request) {
      giver.start();
      await().atMost(PATIENCE).until(() -> giver.getState() == Thread.State.BLOCKED);
      first.cancel();
      assertThat(queue.end(null)).isEmpty();
    }
    giver.join(PATIENCE.toMillis());
    assertThat(first.got).isEmpty();
    request.ended().block(PATIENCE);
    assertThat(left).containsExactly(request);
    requireSettled();
  }

  @Test
  void isNotKeptWhenItIsOverMeanwhile() throws InterruptedException {
    KvRequest request = requests(1).getFirst();
    cancelledWhilePolled(request);
    request.dropped("over");
    Reader second = new Reader();
    queue.subscribe(second);
    assertThat(second.got).isEmpty();
    assertThat(left).containsExactly(request);
  }
}
