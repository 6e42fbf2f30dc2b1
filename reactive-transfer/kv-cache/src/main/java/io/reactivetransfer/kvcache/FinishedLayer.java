package io.reactivetransfer.kvcache;

import java.util.Objects;
import java.util.stream.IntStream;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/**
 * Tokens of one layer that have been computed and will not change any more: all of them, or those
 * of one chunk of a long prompt. A chunk begins and ends at page bounds of both sides, or with the
 * request.
 *
 * @param layer the model's number of the layer
 * @param span which tokens, at least one
 */
public record FinishedLayer(int layer, KvSpan span) {

  /** Checks the signs; the upper bounds are those of a request. */
  public FinishedLayer {
    Objects.requireNonNull(span, "span");
    if (layer < 0 || span.tokens() < 1) {
      throw new IllegalArgumentException(
          "expected a layer of 0 or more and 1 or more tokens, got layer "
              + layer
              + " and "
              + span);
    }
  }

  /** All tokens that this request wants of a layer. */
  public static FinishedLayer whole(int layer, KvRequest request) {
    return new FinishedLayer(layer, request.span());
  }

  /**
   * The layers of this side's layout from the first one on, of which {@code counts} tells how many
   * are finished: 3 means the first three. Counts may be left out, and come twice; they do not go
   * down. Ends when it has all, or with {@code counts}. For a word that the model raises, see
   * {@link KvPrefill#watched}.
   */
  public static Flux<FinishedLayer> counted(Publisher<Long> counts, KvRequest request) {
    KvLayout layout = request.owner().memory().layout();
    return Flux.defer(() -> {
      int[] done = new int[1];
      return Flux.from(counts)
          .concatMapIterable(
              count -> {
                int from = done[0];
                done[0] = Math.max(from, Math.clamp(count, 0, layout.layers()));
                return IntStream.range(from, done[0])
                    .mapToObj(layer -> whole(layout.firstLayer() + layer, request))
                    .toList();
              },
              1)
          .take(layout.layers());
    });
  }
}
