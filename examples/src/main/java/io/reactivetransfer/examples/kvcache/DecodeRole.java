package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.kvcache.KvArrival;
import io.reactivetransfer.kvcache.KvDecode;
import io.reactivetransfer.kvcache.KvOrder;
import io.reactivetransfer.kvcache.PageReservation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import reactor.core.publisher.Mono;

/** The decode side: orders a KV cache, waits until all of it has arrived, compares every page. */
final class DecodeRole {

  /** For prefill to end, once all of its pages have come. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private DecodeRole() {}

  static DecodeReport run(Plan plan, PeerAddress prefill, RoleEvents events) throws IOException {
    try (Node node = Node.open(plan, plan.shape().layout())) {
      TargetPages target = new TargetPages(node, plan, node.tail);
      KvDecode decode = node.openCache(plan).decode(Node.MODEL, node.memory);
      PageReservation pages =
          node.shuffledPool(plan.seed() + 2).reserve(plan.shape().pages(), "decode");
      for (int warmUp = 0; warmUp < plan.warmUps(); warmUp++) {
        decode
            .receive(
                KvOrder.into(node.engine.peer(prefill), pages.pages(), () -> {})
                    .tail(node.tail.slice())
                    .deadline(plan.deadline())
                    .build(),
                arrival -> Mono.<Void>empty())
            .block();
      }
      target.blank(); // so that what is compared was written by the one that counts
      KvOrder.Builder ordered =
          KvOrder.into(node.engine.peer(prefill), pages)
              .tail(node.tail.slice())
              .deadline(plan.deadline());
      if (plan.timeline()) {
        ordered.onLayer(layer -> events.happened(Moment.of(Moment.What.COUNTED, layer)));
      }
      KvOrder order = ordered.build();
      events.said(
          String.format(
              "decode: %,d pages reserved, %,d arrivals expected; asking prefill",
              plan.shape().pages(), plan.shape().arrivals()));

      happened(plan, events, Moment.What.ORDERED);
      KvArrival arrival = decode.receive(order, come -> Mono.just(come.keep())).block();
      if (arrival == null) {
        throw new IllegalStateException("the hand-over ended without an arrival");
      }
      happened(plan, events, Moment.What.ARRIVED);
      events.said(
          String.format("decode: %,d arrivals counted; comparing checksums", arrival.arrivals()));
      target.requireIdentical(pages.pages());
      int untouched = target.requireSparesUntouched(pages.pages());
      Path out = plan.out();
      long outBytes = out == null ? -1 : target.writeTo(out, pages.pages());
      arrival.release();
      happened(plan, events, Moment.What.RELEASED);
      decode.dispose();
      staysUntilItHasGone(node.engine.peer(prefill));
      return new DecodeReport(
          plan.shape().bytes() + node.tail.bytes().byteSize(),
          arrival.arrivals(),
          arrival.untilFirst().toNanos(),
          arrival.firstToLast().toNanos(),
          plan.shape().allPages(),
          untouched,
          outBytes);
    }
  }

  /**
   * Prefill hears over its NICs that its last writes have come, and on the control channel that
   * this engine is closed. The latter can be first, and then its hand-over fails.
   */
  private static void staysUntilItHasGone(Peer prefill) {
    var _ =
        prefill
            .state()
            .filter(state -> state instanceof PeerState.Lost)
            .next()
            .timeout(PATIENCE, Mono.empty())
            .block();
  }

  private static void happened(Plan plan, RoleEvents events, Moment.What what) {
    if (plan.timeline()) {
      events.happened(Moment.of(what, -1));
    }
  }
}
