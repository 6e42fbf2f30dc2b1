package io.reactivetransfer.examples.jlama;

import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import io.reactivetransfer.examples.jlama.engine.Sequence;
import io.reactivetransfer.kvcache.FinishedLayer;
import io.reactivetransfer.kvcache.KvPrefill;
import io.reactivetransfer.kvcache.KvRequest;
import io.reactivetransfer.kvcache.KvWritten;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;

/**
 * The prefill side: computes what it does not know of a prompt, and hands each layer over while the
 * next one is computed.
 */
final class PrefillRole implements AutoCloseable {

  /**
   * So many orders are answered at a time; others wait. They share one computation after another.
   */
  private static final int AT_A_TIME = 2;

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Node node;
  private final Parent parent;
  private final KvPrefill prefill;
  private final Disposable serving;

  private PrefillRole(Node node, Parent parent) {
    this.node = node;
    this.parent = parent;
    this.prefill = node.cache.prefill(Node.MODEL, node.memory);
    this.serving = prefill.serve(AT_A_TIME, this::answer).subscribe();
  }

  /** From now on, until it is closed. */
  static PrefillRole serve(Node node, Parent parent) {
    return new PrefillRole(node, parent);
  }

  /** The blocks are held until no NIC reads them any more, and that depends on how it ends. */
  private Publisher<KvWritten> answer(KvRequest request) {
    OrderBody body =
        OrderBody.read(request.body(), node.inference.store().layout().model().vocabulary());
    return Flux.usingWhen(
        Mono.fromSupplier(() -> new Answer(request, body)),
        Answer::written,
        Answer::free,
        (answer, failure) -> answer.free(),
        answer -> request.quiet().then(answer.free()));
  }

  @Override
  public void close() {
    serving.dispose();
    prefill.dispose();
  }

  /** One order, and the blocks that it is computed in. */
  private final class Answer {

    private final KvRequest request;
    private final OrderBody body;
    private final Sequence sequence;
    private final int slot;
    private volatile long computeNanos;
    private volatile long computedNanos;
    private long bytes;

    Answer(KvRequest request, OrderBody body) {
      this.request = request;
      this.body = body;
      this.sequence = node.inference.beginToCompute(Figures.ints(body.prompt()), 0);
      this.slot = node.tails.take();
      var _ = sequence.released().thenRun(() -> node.tails.give(slot));
    }

    Mono<Void> free() {
      return Mono.fromRunnable(sequence::release);
    }

    Flux<KvWritten> written() {
      // Demand does not wait for the thread that computes: layers would come when all are done.
      Flux<Integer> layers = Flux.<Integer>create(this::compute).subscribeOn(node.compute, false);
      MemorySlice tail = node.tails.slice(slot);
      Flux<KvWritten> written;
      if (request.pages() == 0) { // decode has all keys and values
        written = layers.thenMany(prefill.handOver(request, tail));
      } else {
        if (!body.overlap()) {
          layers = layers.collectList().flatMapIterable(all -> all);
        }
        PageList pages = PageList.of(sequence.blocksFrom((int) request.span().firstToken()));
        Flux<FinishedLayer> finished = layers.map(layer -> FinishedLayer.whole(layer, request));
        written = prefill.handOver(request, pages, finished, tail);
      }
      return written.doOnNext(each -> bytes += each.bytes()).doOnComplete(this::report);
    }

    /** Emits each layer as soon as the attention has stored its keys and values. */
    private void compute(FluxSink<Integer> layers) {
      // Blocks that are computed in are not another's, whatever becomes of the request meanwhile.
      if (!sequence.tryHold()) {
        return;
      }
      long startNanos = System.nanoTime();
      int[] done = new int[1];
      try {
        float[] state =
            node.inference.prefill(
                sequence,
                layer -> {
                  if (layers.isCancelled()) {
                    throw new CancellationException();
                  }
                  layers.next(layer);
                  done[0]++;
                  haltIfWanted();
                });
        node.tails.write(slot, state);
        computedNanos = System.nanoTime();
        computeNanos = computedNanos - startNanos;
        if (body.remember()) {
          node.inference.remember(sequence);
        }
        layers.complete();
      } catch (RuntimeException e) {
        // Nobody wants it any more: whoever waits here for something is interrupted then, too.
        if (!(e instanceof CancellationException) && !layers.isCancelled()) {
          throw e;
        }
        parent.tell(Words.STOPPED, Figures.join(body.round(), done[0]));
      } finally {
        sequence.release();
      }
    }

    private void haltIfWanted() {
      if (body.halt()) {
        request.ended().block(PATIENCE);
        throw new CancellationException();
      }
    }

    private void report() {
      long behind = System.nanoTime() - computedNanos;
      Served served = new Served(body.round(), sequence.knownTokens(), computeNanos, behind, bytes);
      parent.tell(Words.SERVED, served.toLine());
    }
  }
}
