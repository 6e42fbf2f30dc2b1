package io.reactivetransfer.membership.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.common.exception.ErrorCode;
import io.etcd.jetcd.common.exception.EtcdException;
import io.etcd.jetcd.common.exception.EtcdExceptionFactory;
import io.etcd.jetcd.kv.GetResponse;
import io.reactivetransfer.membership.MembershipException;
import io.reactivetransfer.membership.Node;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * The nodes below a prefix, all as of one revision. They are asked for in pages, because gRPC takes
 * no message above 4 MiB unless set, and in shorter ones where a page is too long for that.
 */
final class NodeList {

  /** Keys that are no nodes take time to read, so there may be so many beside the nodes. */
  static final int MAX_OTHER_KEYS = 10_000;

  private static final int PAGE_KEYS = 500;
  private static final ByteSequence NEXT = ByteSequence.from(new byte[1]);

  private final EtcdCalls calls;
  private final NodeKeys keys;
  private final int maxNodes;
  private final List<Node> nodes = new ArrayList<>();
  private ByteSequence from;
  private int pageKeys = PAGE_KEYS;
  private long revision;

  private NodeList(EtcdCalls calls, NodeKeys keys, int maxNodes) {
    this.calls = calls;
    this.keys = keys;
    this.maxNodes = maxNodes;
    from = keys.prefix();
  }

  /**
   * Reads one, anew for each subscription.
   *
   * @param maxNodes of more it says that they are too many
   */
  static Mono<NodeList> read(EtcdCalls calls, NodeKeys keys, int maxNodes) {
    return Mono.defer(() -> new NodeList(calls, keys, maxNodes).all());
  }

  List<Node> nodes() {
    return nodes;
  }

  /** As of which this is. */
  long revision() {
    return revision;
  }

  private Mono<NodeList> all() {
    return next().expand(page -> page.isMore() ? next() : Mono.empty()).then(Mono.just(this));
  }

  private Mono<GetResponse> next() {
    return Mono.defer(() -> calls.page(from, keys.end(), pageKeys, revision))
        .doOnNext(this::add)
        .onErrorResume(NodeList::isTooLong, this::shorter);
  }

  private void add(GetResponse page) {
    if (revision == 0) {
      revision = page.getHeader().getRevision();
      check("keys", page.getCount(), (long) maxNodes + MAX_OTHER_KEYS);
    }
    List<KeyValue> entries = page.getKvs();
    nodes.addAll(keys.nodes(entries));
    check("nodes", nodes.size(), maxNodes);
    if (!entries.isEmpty()) {
      from = entries.getLast().getKey().concat(NEXT);
    }
  }

  private void check(String what, long count, long max) {
    if (count > max) {
      throw new MembershipException(
          "expected at most %,d %s below %s in etcd, got more; allow more, or see who enters them"
              .formatted(max, what, keys.prefix()));
    }
  }

  /** The client says so of an answer; what etcd itself has too much of it begins with its name. */
  private static boolean isTooLong(Throwable failure) {
    EtcdException reason = EtcdExceptionFactory.toEtcdException(failure);
    return reason.getErrorCode() == ErrorCode.RESOURCE_EXHAUSTED
        && !String.valueOf(reason.getMessage()).startsWith("etcdserver");
  }

  private Mono<GetResponse> shorter(Throwable tooLong) {
    if (pageKeys > 1) {
      pageKeys /= 2;
      return next();
    }
    return calls
        .firstKey(from, keys.end(), revision)
        .flatMap(page -> {
          String key =
              page.getKvs().isEmpty() ? "" : NodeKeys.clip(page.getKvs().getFirst().getKey());
          return Mono.error(
              new MembershipException(
                  ("expected values below %s in etcd that gRPC takes in one message, got a longer"
                          + " one of the key %s; delete it, or set maxInboundMessageSize of the"
                          + " client: %s")
                      .formatted(keys.prefix(), key, tooLong.getMessage()),
                  tooLong));
        });
  }
}
