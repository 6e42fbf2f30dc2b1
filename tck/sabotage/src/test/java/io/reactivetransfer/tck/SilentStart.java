package io.reactivetransfer.tck;

import io.reactivetransfer.Access;
import io.reactivetransfer.Change;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Message;
import io.reactivetransfer.Outcome;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.TrafficStats;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import java.nio.ByteBuffer;
import java.util.function.ToLongFunction;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An engine one of whose publishers begins without {@code onSubscribe}. */
final class SilentStart extends ForwardingEngine {

  private final String publisher;

  /** Names the publisher as its rule does. */
  SilentStart(TransferEngine inner, String publisher) {
    super(inner);
    this.publisher = publisher;
  }

  private static final class Silent<T> extends Interceptor<T> {
    Silent(CoreSubscriber<? super T> actual) {
      super(actual);
    }

    @Override
    public void onSubscribe(Subscription s) {
      upstream = s;
    }
  }

  private <T> Mono<T> mono(String name, Mono<T> source) {
    return name.equals(publisher) ? Interceptor.on(source, Silent::new) : source;
  }

  private <T> Flux<T> flux(String name, Flux<T> source) {
    return name.equals(publisher) ? Interceptor.on(source, Silent::new) : source;
  }

  @Override
  public <T extends Transfer> Mono<T> submit(T transfer) {
    return mono("submitOne", inner.submit(transfer));
  }

  @Override
  public <T extends Transfer> Flux<T> submit(Publisher<? extends T> transfers) {
    return flux("submitStream", inner.<T>submit(transfers));
  }

  @Override
  public <T extends Transfer> Flux<Outcome<T>> submitEach(Publisher<? extends T> transfers) {
    return flux("submitEach", inner.<T>submitEach(transfers));
  }

  @Override
  public Mono<Void> barrier(String name, PeerGroup group) {
    return mono("barrier", inner.barrier(name, group));
  }

  @Override
  public Peer peer(PeerAddress address) {
    Peer peer = inner.peer(address);
    if (!"peerState".equals(publisher)) {
      return peer;
    }
    return new Peer() {
      @Override
      public EngineId id() {
        return peer.id();
      }

      @Override
      public EngineId engine() {
        return peer.engine();
      }

      @Override
      public PeerAddress address() {
        return peer.address();
      }

      @Override
      public Flux<PeerState> state() {
        return flux("peerState", peer.state());
      }

      @Override
      public PeerState present() {
        return peer.present();
      }

      @Override
      public TrafficStats stats() {
        return peer.stats();
      }
    };
  }

  @Override
  public Flux<Change> watch(Memory word) {
    return flux("watch", inner.watch(word));
  }

  @Override
  public ImmCounter counter(Imm imm) {
    return new ForwardingCounter(inner.counter(imm)) {
      @Override
      public Mono<Void> next(long n) {
        return mono("counterNext", super.next(n));
      }

      @Override
      public Flux<Long> every(long n) {
        return flux("counterEvery", super.every(n));
      }

      @Override
      public <T> Flux<T> claims(Publisher<? extends T> claims, ToLongFunction<? super T> writes) {
        return flux("counterClaims", super.<T>claims(claims, writes));
      }

      @Override
      public Mono<Long> discard() {
        return mono("counterDiscard", super.discard());
      }
    };
  }

  @Override
  public Flux<Message> messages() {
    return flux("messages", inner.messages());
  }

  @Override
  public Mono<Void> send(Peer peer, ByteBuffer message) {
    return mono("send", inner.send(peer, message));
  }

  @Override
  public Mono<MemoryRegion> register(Memory memory, Access access) {
    Mono<MemoryRegion> region =
        inner
            .register(memory, access)
            .map(registered ->
                new ForwardingRegion(registered) {
                  @Override
                  public Mono<Void> quiesced() {
                    return mono("quiesced", super.quiesced());
                  }

                  @Override
                  public Mono<Void> revoke() {
                    return mono("revoke", super.revoke());
                  }

                  @Override
                  public Mono<Void> close() {
                    return mono("closeRegion", super.close());
                  }
                });
    return mono("register", region);
  }

  @Override
  public Mono<Void> close() {
    // the first close is the one under test; the kit's own comes later
    return inner.isClosed() ? inner.close() : mono("closeEngine", inner.close());
  }
}
