package io.reactivetransfer.membership.kubernetes;

import io.reactivetransfer.membership.Node;
import java.util.Comparator;

/**
 * What one slice says of one node.
 *
 * @param node as it would be
 * @param type of its address
 * @param isCounted whether it is in a state in which it is a node
 * @param isTerminating whether its pod is about to end
 */
record Found(Node node, AddressType type, boolean isCounted, boolean isTerminating) {

  /**
   * The first is what counts where several slices list a node. What a type of address says is not
   * mixed with what another says, so that a pod does not seem to move when it ends. A pod that has
   * taken the name of one that is about to end is the one to talk with.
   */
  static final Comparator<Found> BEST_FIRST =
      Comparator.comparing(Found::type)
          .thenComparing(found -> !found.isCounted())
          .thenComparing(Found::isTerminating);
}
