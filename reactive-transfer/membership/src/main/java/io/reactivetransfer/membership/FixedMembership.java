package io.reactivetransfer.membership;

import io.reactivetransfer.HostPort;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/**
 * A list that is known beforehand and never changes. Each subscription gets all its nodes, in the
 * order of the list, on {@code Schedulers.parallel()}, and then nothing more.
 */
public final class FixedMembership implements Membership {

  private final List<Node> nodes;

  private FixedMembership(Collection<Node> nodes) {
    this.nodes = List.copyOf(nodes);
    Set<String> names = new HashSet<>();
    for (Node node : this.nodes) {
      if (!names.add(node.name())) {
        throw new IllegalArgumentException(
            "expected each node once, got two with the name " + node.name());
      }
    }
  }

  /** These nodes, whose names differ; there may be none. */
  public static FixedMembership of(Collection<Node> nodes) {
    return new FixedMembership(nodes);
  }

  /** These nodes, whose names differ. */
  public static FixedMembership of(Node... nodes) {
    return new FixedMembership(List.of(nodes));
  }

  /**
   * Reads nodes of one role, such as {@code prefill-0=10.0.0.7:7400,prefill-1=[fd00::7]:7400}, with
   * blanks around names and addresses allowed.
   *
   * @throws IllegalArgumentException if it is anything else
   */
  public static FixedMembership parse(String role, String text) {
    List<Node> nodes = new ArrayList<>();
    for (String entry : text.split(",", -1)) {
      int sign = entry.indexOf('=');
      if (sign < 0) {
        throw new IllegalArgumentException(
            "expected name=host:port and a comma between two of them, got %s as number %d"
                .formatted(entry.isBlank() ? "nothing" : "no '='", nodes.size() + 1));
      }
      String name = entry.substring(0, sign).strip();
      nodes.add(Node.of(name, role, HostPort.parse(entry.substring(sign + 1).strip())));
    }
    return new FixedMembership(nodes);
  }

  @Override
  public Flux<NodeChange> nodes() {
    return NodeChanges.of(
        sink -> {
          sink.all(nodes);
          return Disposables.disposed();
        },
        Math.max(1, nodes.size()),
        Schedulers.parallel());
  }
}
