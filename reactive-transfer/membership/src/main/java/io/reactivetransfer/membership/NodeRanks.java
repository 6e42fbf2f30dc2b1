package io.reactivetransfer.membership;

import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.membership.NodePeer.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The engines of a group whose members have numbers, such as the trainers of a model or the ranks
 * of a group of experts, from a membership: waits until all of them are there.
 */
public final class NodeRanks {

  /** The label that holds the number of a node, from 0 on, in decimal digits. */
  public static final String LABEL = "rank";

  private static final Duration LONGEST = Duration.ofDays(365);
  private static final int MOST_SHOWN = 8;

  private NodeRanks() {}

  /**
   * The addresses of all ranks, in their order: those that groups and runs take. Waits until for
   * each number exactly one node of the role is listed under {@link #LABEL} and is alive, or is
   * this engine itself. Two nodes with one number, as where a rank was started again and the lease
   * of the old one has not ended, are waited for, too, unless only one of them is alive.
   *
   * <p>Each subscription looks for itself; a cancel ends that. Signals come on the threads of
   * {@link NodePeers#of}, or on {@code Schedulers.parallel()} for the deadline. Fails with a {@link
   * MembershipException} that says which ranks were missing, or there twice, and what is known of
   * them; and with what the membership fails with.
   *
   * @param ranks how many, 1 or more
   * @param deadline how long to wait at most
   */
  public static Mono<List<PeerAddress>> addresses(
      TransferEngine engine, Membership membership, String role, int ranks, Duration deadline) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(role, "role");
    if (ranks < 1) {
      throw new IllegalArgumentException("expected 1 rank or more, got " + ranks);
    }
    if (!deadline.isPositive() || deadline.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "expected a deadline above 0 and of at most 365 days, got " + deadline);
    }
    return Mono.defer(() -> {
      AtomicReference<List<NodePeer>> last = new AtomicReference<>(List.of());
      return NodePeers.of(engine, membership, node -> node.role().equals(role))
          .doOnNext(last::set)
          .mapNotNull(known -> inOrder(engine, known, ranks))
          .next()
          .switchIfEmpty(Mono.error(() -> new MembershipException("the engine was closed")))
          .timeout(deadline)
          .onErrorMap(TimeoutException.class, late -> late(role, ranks, deadline, last.get()));
    });
  }

  /** The addresses if each rank is there once, else null. */
  private static @Nullable List<PeerAddress> inOrder(
      TransferEngine engine, List<NodePeer> known, int ranks) {
    Map<String, List<NodePeer>> present = byRank(known, NodeRanks::isPresent);
    List<PeerAddress> addresses = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      List<NodePeer> nodes = present.getOrDefault(String.valueOf(rank), List.of());
      if (nodes.size() != 1) {
        return null;
      }
      Peer peer = nodes.getFirst().peer();
      addresses.add(peer == null ? engine.address() : peer.address());
    }
    return List.copyOf(addresses);
  }

  private static boolean isPresent(NodePeer node) {
    return node.isAlive() || node.state() == State.OWN;
  }

  private static Map<String, List<NodePeer>> byRank(
      List<NodePeer> known, Predicate<NodePeer> which) {
    return known.stream()
        .filter(which)
        .filter(each -> each.node().label(LABEL) != null)
        .collect(Collectors.groupingBy(each -> String.valueOf(each.node().label(LABEL))));
  }

  private static MembershipException late(
      String role, int ranks, Duration deadline, List<NodePeer> known) {
    Map<String, List<NodePeer>> present = byRank(known, NodeRanks::isPresent);
    Map<String, List<NodePeer>> listed = byRank(known, each -> true);
    List<String> missing = new ArrayList<>();
    int count = 0;
    for (int rank = 0; rank < ranks; rank++) {
      String number = String.valueOf(rank);
      List<NodePeer> nodes = present.getOrDefault(number, List.of());
      if (nodes.size() != 1 && count++ < MOST_SHOWN) {
        List<NodePeer> shown = nodes.isEmpty() ? listed.getOrDefault(number, List.of()) : nodes;
        missing.add(number + (shown.isEmpty() ? "" : " " + shown));
      }
    }
    return new MembershipException(
        "expected one living %s for each rank of 0 to %d within %s, got %d; of these there is none, or more than one: %s%s; each needs the role, and a label '%s'"
            .formatted(
                role,
                ranks - 1,
                deadline,
                ranks - count,
                String.join(", ", missing),
                count > MOST_SHOWN ? ", and " + (count - MOST_SHOWN) + " more" : "",
                LABEL));
  }
}
