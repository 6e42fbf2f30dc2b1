package io.reactivetransfer.examples.weights;

import java.io.IOException;
import java.util.List;

/** Some updates, one after the other, each of them compared with the reference. */
final class Updates {

  private Updates() {}

  /**
   * Runs them.
   *
   * @return the last one of them
   * @throws IOException if one does not flip everywhere, or a byte differs
   */
  static Measured run(Cluster cluster, Progress progress, long first, int count)
      throws IOException, InterruptedException {
    Measured measured = null;
    for (int i = 0; i < count; i++) {
      long version = first + i;
      cluster.fill(version);
      progress.begin("update " + (i + 1) + " of " + count);
      UpdateEnd end = cluster.update(version);
      progress.end();
      requireFlipped(end);
      List<TrainerFigures> figures = cluster.figures();
      measured = new Measured(i + 1, count, end, figures, cluster.verify(version));
    }
    if (measured == null) {
      throw new IllegalArgumentException("expected 1 or more updates, got " + count);
    }
    return measured;
  }

  static void requireFlipped(UpdateEnd end) throws IOException {
    if (!end.isFlippedEverywhere()) {
      throw new IOException("expected an update that flips everywhere, got " + end);
    }
  }
}
