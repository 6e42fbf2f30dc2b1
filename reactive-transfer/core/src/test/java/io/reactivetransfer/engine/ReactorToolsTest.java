package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.Write;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.Scannable.Attr;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.util.context.Context;

/** What an application's tools see of the engine's publishers through Reactor. */
class ReactorToolsTest {

  private static final String HOOK = "tools";

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  @AfterEach
  void resetHooks() {
    Hooks.resetOnEachOperator(HOOK);
  }

  private Map<String, Supplier<Publisher<?>>> publishers() {
    TransferEngine engine = hand.engine();
    MemoryRegion region = hand.region();
    var peer = hand.remote(1).peer();
    var counter = engine.counter(Imm.of(7));
    Map<String, Supplier<Publisher<?>>> all = new LinkedHashMap<>();
    all.put("submit", () -> engine.submit(Flux.<Write>never()));
    all.put("submitEach", () -> engine.submitEach(Flux.<Write>never()));
    all.put("claim", () -> counter.next(1));
    all.put("claims", () -> counter.every(1));
    all.put("claims of a stream", () -> counter.claims(Flux.never(), _ -> 1));
    all.put("messages", engine::messages);
    all.put("send", () -> engine.send(peer, ByteBuffer.allocate(1)));
    all.put("barrier", () -> engine.barrier("b", PeerGroup.of(peer)));
    all.put(
        "register",
        () -> engine.register(new HostMemory(Arena.ofAuto().allocate(8)), region.access()));
    all.put("watch", () -> engine.watch(Arena.ofAuto().allocate(8, 8)));
    all.put("state", peer::state);
    all.put("quiesced", region::quiesced);
    all.put("onClose", engine::onClose);
    return all;
  }

  @Test
  void eachPublisherIsSeenWhereItIsMade() {
    hand.open(1);
    Map<String, Supplier<Publisher<?>>> all = publishers();
    all.forEach((name, make) -> {
      List<Publisher<?>> seen = new ArrayList<>();
      Hooks.onEachOperator(
          HOOK,
          made -> {
            seen.add(made);
            return made;
          });
      Publisher<?> made = make.get();
      if (name.equals("send")) {
        Flux.from(made).subscribe().dispose(); // it is made for each subscription
      }
      Hooks.resetOnEachOperator(HOOK);
      assertThat(seen)
          .as(name)
          .anyMatch(
              each -> each.getClass().getPackageName().startsWith("io.reactivetransfer.engine"));
    });
  }

  @Test
  void aSubscriptionSaysWhereItLeadsAndWhetherItIsOver() {
    hand.open(1);
    publishers()
        .forEach((name, make) -> {
          Seen seen = new Seen();
          Flux.from(make.get()).subscribe(seen);
          Scannable scanned = Scannable.from(seen.subscription);
          assertThat(scanned.scan(Attr.RUN_STYLE)).as(name).isEqualTo(Attr.RunStyle.ASYNC);
          assertThat(scanned.scan(Attr.ACTUAL).isScanAvailable()).as(name).isTrue();
          assertThat(scanned.scan(Attr.TERMINATED)).as(name).isFalse();
          seen.subscription.cancel();
          assertThat(scanned.scan(Attr.TERMINATED)).as(name).isTrue();
        });
  }

  @Test
  void aStreamOfTransfersShowsItsUpstreamAndItsDemand() {
    hand.open(1);
    Seen seen = new Seen();
    Flux<Write> upstream = Flux.never();
    Flux<Write> stream = hand.engine().submit(upstream);
    assertThat(Scannable.from(stream).scan(Attr.PARENT)).isSameAs(upstream);
    stream.subscribe(seen);
    seen.subscription.request(3);
    Scannable scanned = Scannable.from(seen.subscription);
    assertThat(scanned.scan(Attr.REQUESTED_FROM_DOWNSTREAM)).isEqualTo(3);
    assertThat(scanned.scan(Attr.ACTUAL)).isSameAs(seen);
    assertThat(scanned.scan(Attr.CANCELLED)).isFalse();
    seen.subscription.cancel();
    assertThat(scanned.scan(Attr.CANCELLED)).isTrue();
  }

  private enum OfUpstream {
    SUBMIT {
      @Override
      Flux<?> of(TransferEngine engine, Flux<Write> upstream) {
        return engine.submit(upstream);
      }
    },
    SUBMIT_WITHIN {
      @Override
      Flux<?> of(TransferEngine engine, Flux<Write> upstream) {
        return engine.submit(upstream, Duration.ofSeconds(1));
      }
    },
    SUBMIT_EACH {
      @Override
      Flux<?> of(TransferEngine engine, Flux<Write> upstream) {
        return engine.submitEach(upstream);
      }
    },
    CLAIMS {
      @Override
      Flux<?> of(TransferEngine engine, Flux<Write> upstream) {
        return engine.counter(Imm.of(7)).claims(upstream, _ -> 1);
      }
    };

    abstract Flux<?> of(TransferEngine engine, Flux<Write> upstream);
  }

  @ParameterizedTest
  @EnumSource
  void theContextOfDownstreamReachesUpstream(OfUpstream kind) {
    hand.open(1);
    List<String> found = new ArrayList<>();
    Flux<Write> upstream =
        Flux.deferContextual(context -> {
          found.add(context.get("who"));
          return Flux.empty();
        });
    kind.of(hand.engine(), upstream).contextWrite(Context.of("who", "me")).subscribe();
    hand.turn();
    assertThat(found).containsExactly("me");
  }

  private static final class Seen implements CoreSubscriber<Object>, Scannable {
    private Subscription subscription;

    @Override
    public void onSubscribe(Subscription subscription) {
      this.subscription = subscription;
    }

    @Override
    @SuppressWarnings("rawtypes")
    public Object scanUnsafe(Attr key) {
      return null;
    }

    @Override
    public void onNext(Object element) {}

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onComplete() {}
  }
}
