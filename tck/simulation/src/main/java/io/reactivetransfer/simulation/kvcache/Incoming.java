package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.Message;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.simulation.ForwardingCalls;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import reactor.core.publisher.Flux;

/**
 * Requests that a prefill node has read and that no handler was given yet: how much of them may be
 * there, and whose turn it is. Looked at in calm runs, where each one waits until it is served or
 * its order has ended.
 */
final class Incoming {

  private static final MessageChannel REQUESTS = new MessageChannel(16);
  private static final byte REQUEST = 3;
  private static final int KIND_AT = 1;
  private static final int CHECKSUM_BYTES = 4;

  /** One that is shorter is no order's. */
  private static final int SHORTEST = 60;

  private record Waiting(Trip trip, long bytes) {}

  private record Queue(KvNode decode, String model) {}

  private final KvNode node;
  private final List<Waiting> waiting = new ArrayList<>();

  /** Who else was served since it was the turn of these, or since they came. */
  private final Map<Queue, Set<KvNode>> servedSince = new HashMap<>();

  private boolean over;

  /** Of one opening of the roles of a node. */
  Incoming(KvNode node) {
    this.node = node;
  }

  /** The same engine; what is read from it is noted. */
  TransferEngine watching(TransferEngine engine) {
    return ForwardingCalls.of(
        TransferEngine.class,
        engine,
        "messages",
        args -> {
          MessageChannel channel = (MessageChannel) args[0];
          Flux<Message> messages = engine.messages(channel);
          return channel.equals(REQUESTS) ? messages.doOnNext(this::came) : messages;
        });
  }

  private void came(Message message) {
    ByteBuffer bytes = message.bytes();
    if (over || bytes.remaining() < SHORTEST || bytes.get(bytes.position() + KIND_AT) != REQUEST) {
      return;
    }
    forgetEnded();
    long before = waiting.stream().mapToLong(Waiting::bytes).sum();
    node.world()
        .referee()
        .require(
            before < node.world().forecast().maxWaitingBytes(),
            node + " has read one more request, and " + before + " bytes of others wait");
    Trip trip = node.world().trips().get(bytes.getInt(bytes.limit() - CHECKSUM_BYTES - 4));
    if (trip.mayHaveEnded() || trip.books().isBeyond(node) || node.wasReshared()) {
      return; // it does not wait: it is refused, or was cancelled
    }
    Queue own = queueOf(trip);
    if (waiting.stream().noneMatch(other -> queueOf(other.trip).equals(own))) {
      servedSince.remove(own);
    }
    waiting.add(new Waiting(trip, bytes.remaining()));
  }

  /** A handler is given this one. */
  void handled(Trip trip) {
    waiting.removeIf(one -> one.trip == trip);
    if (over) {
      return;
    }
    forgetEnded();
    Queue own = queueOf(trip);
    servedSince.remove(own);
    Set<Queue> others = new HashSet<>();
    waiting.forEach(one -> others.add(queueOf(one.trip)));
    for (Queue other : others) {
      if (other.model.equals(own.model) && other.decode != own.decode) {
        boolean first = servedSince.computeIfAbsent(other, any -> new HashSet<>()).add(own.decode);
        node.world()
            .referee()
            .require(
                first,
                node + " serves " + own.decode + " again, and it is the turn of " + other.decode);
      }
    }
  }

  /** The roles are closed: what waits is refused. */
  void close() {
    over = true;
    waiting.clear();
  }

  private void forgetEnded() {
    waiting.removeIf(one -> one.trip.mayHaveEnded());
  }

  private static Queue queueOf(Trip trip) {
    return new Queue(trip.node(), trip.decoding.model);
  }
}
