package io.reactivetransfer.examples.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Device;
import io.reactivetransfer.PageList;
import io.reactivetransfer.kvcache.KvDecode;
import io.reactivetransfer.kvcache.KvOrder;
import io.reactivetransfer.kvcache.KvPrefill;
import io.reactivetransfer.kvcache.KvRequest;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** A long deadline is that of both sides. */
class DeadlineTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Plan plan =
      new Plan(
          "loopback",
          null,
          1,
          Device.HOST,
          new Shape(3, 8, 100),
          null,
          null,
          Duration.ofDays(1),
          Duration.ZERO,
          1,
          0,
          false,
          false);

  @Test
  void prefillGivesAsMuchTimeAsThePlanDoes() {
    try (Node source = Node.open(plan, plan.shape().sourceLayout());
        Node target = Node.open(plan, plan.shape().layout())) {
      KvPrefill prefill = source.openCache(plan).prefill(Node.MODEL, source.memory);
      KvDecode decode = target.openCache(plan).decode(Node.MODEL, target.memory);
      KvOrder order =
          KvOrder.into(target.engine.peer(source.engine.address()), PageList.range(0, 8), () -> {})
              .deadline(plan.deadline())
              .build();
      Disposable running = decode.receive(order, come -> Mono.just(1)).subscribe();
      KvRequest request = prefill.requests().blockFirst(PATIENCE);
      assertThat(request).isNotNull();
      assertThat(request.remaining()).isGreaterThan(plan.deadline().minusMinutes(10));
      running.dispose();
      decode.settled().block(PATIENCE);
    }
  }
}
