package io.reactivetransfer.examples.jlama;

import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What a node does, from its beginning to its end.
 *
 * @param name of it, for people and for the errors of others
 * @param prefills whether it computes prompts of others
 * @param number of the decode node that it is, or -1
 */
record NodeProgram(String name, boolean prefills, int number) {

  /** In it nothing is awaited but what the library promises to end by itself. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  boolean decodes() {
    return number >= 0;
  }

  void run(Plan plan, Parent parent) throws InterruptedException {
    try (Node node = Node.open(plan, name, decodes());
        PrefillRole _ = prefills ? PrefillRole.serve(node, parent) : null) {
      parent.tell(Words.ADDRESS, node.engine.address().toText());
      if (decodes()) {
        List<Peer> peers =
            Arrays.stream(parent.await(Words.PEERS).split(" "))
                .map(PeerAddress::fromText)
                .map(node.engine::peer)
                .toList();
        new DecodeRole(node, plan, peers, parent).run(Round.of(plan, number));
        parent.tell(Words.FINISHED, name);
      }
      parent.await(Words.STOP);
      awaitIdle(node);
      parent.tell(
          Words.BLOCKS,
          Figures.join(
              node.inference.holds(),
              node.inference.cachedBlocks(),
              node.inference.store().layout().blocks()));
    }
  }

  /** What is still held after that is lost, and is reported as that. */
  private static void awaitIdle(Node node) throws InterruptedException {
    try {
      node.inference.idle().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      // the figures say it
    } catch (java.util.concurrent.ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }
}
