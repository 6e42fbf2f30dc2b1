package io.reactivetransfer.kvcache;

import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Peer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Prefill's side of the messages, for all models of a node: leads requests to the model that they
 * are for, and knows of each number that decode may cancel what has become of it.
 *
 * <p>Cancels overtake requests. The numbers of a decode node's requests go up in the order in which
 * they are read; so a number above the last one is still to come, and is dropped when it does.
 */
final class Desk {

  /** Requests that are kept here until they are taken; more wait at their senders, for credit. */
  static final int MAX_WAITING = 1_024;

  private static final Logger LOG = Loggers.getLogger(Desk.class);

  /** Decode nodes whose numbers are remembered, those that were heard of last. */
  private static final int MAX_SENDERS = 16_384;

  /** Cancels of one decode node whose requests are still to come; it asks again for more. */
  private static final int MAX_CANCELLED = 65_536;

  /** Cancels of all decode nodes together; each takes some 60 bytes. */
  private static final int MAX_ALL_CANCELLED = 1 << 20;

  /** Of those that were heard of longest ago, so many are looked at for one to be forgotten. */
  private static final int MAX_LOOKS = 64;

  /** Ends that are said again to whoever has not heard them. */
  private static final int MAX_LAST_WORDS = 16_384;

  /** What is done with a request that was read. */
  private enum Read {
    /** It came before, or was cancelled and answered for. */
    UNWANTED,
    REFUSED,
    BEGUN
  }

  private record Key(EngineId decode, long id) {}

  /** What is known of one decode node. */
  private static final class Sender {
    long lastRead = Long.MIN_VALUE;
    final TreeSet<Long> cancelled = new TreeSet<>();
  }

  private final KvCache cache;

  /** Guarded by this, like all below. */
  private final Map<String, KvPrefill> models = new TreeMap<>();

  /** None is forgotten whose requests must be dropped when they come. */
  private final Map<EngineId, Sender> senders =
      new Bounded<>(MAX_SENDERS, sender -> sender.cancelled.isEmpty() && forgets());

  /** Of all senders. */
  private int cancelled;

  private final Map<Key, KvMessage.End> lastWords =
      new Bounded<>(MAX_LAST_WORDS, word -> forgets());

  /**
   * Whether there were more words, or numbers that were read, than are known here: others that were
   * forgotten, or those of a {@link KvCache} that was open on this engine before.
   */
  private boolean forgot;

  private final Map<Key, KvRequest> open = new HashMap<>();
  private @Nullable Throwable failure;
  private boolean ended;
  private @Nullable KvInbox requests;

  /** Forgets what was used longest ago. */
  private static final class Bounded<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1L;
    private final int max;
    private final transient Predicate<V> mayBeForgotten;

    Bounded(int max, Predicate<V> mayBeForgotten) {
      super(16, 0.75f, true);
      this.max = max;
      this.mayBeForgotten = mayBeForgotten;
    }

    /** One that may not be forgotten keeps no others. */
    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
      Iterator<V> each = values().iterator();
      for (int looks = 0; size() > max && looks < MAX_LOOKS && each.hasNext(); looks++) {
        if (mayBeForgotten.test(each.next())) {
          each.remove();
          break;
        }
      }
      return false;
    }
  }

  /**
   * For one node.
   *
   * @param reopened whether another one was there on this engine before
   */
  Desk(KvCache cache, boolean reopened) {
    this.cache = cache;
    this.forgot = reopened;
  }

  /** Begins to take requests. */
  KvInbox open() {
    KvInbox inbox = KvInbox.open(cache.engine, KvInbox.REQUESTS, MAX_WAITING, new Requests());
    synchronized (this) {
      requests = inbox;
    }
    return inbox;
  }

  private boolean forgets() {
    forgot = true;
    return true;
  }

  KvInbox.Handler urgent() {
    return new Urgent();
  }

  /** Takes requests for this model from now on. */
  void add(KvPrefill prefill) {
    Throwable reason;
    synchronized (this) {
      if (models.putIfAbsent(prefill.model(), prefill) != null) {
        throw new IllegalStateException(
            "expected one KvPrefill of model "
                + prefill.model()
                + " on this node at a time, got another one");
      }
      if (!ended) {
        return;
      }
      reason = failure;
    }
    prefill.noMore(reason);
  }

  void remove(KvPrefill prefill) {
    synchronized (this) {
      models.remove(prefill.model(), prefill);
    }
  }

  /** No model takes any more. */
  void close() {
    models().forEach(KvPrefill::dispose);
  }

  private synchronized List<KvPrefill> models() {
    return new ArrayList<>(models.values());
  }

  private synchronized @Nullable KvPrefill model(String name) {
    return models.get(name);
  }

  private synchronized String names() {
    return models.isEmpty() ? "none" : String.join(", ", models.keySet());
  }

  /** Somebody took a request that was kept here: there is room for one more. */
  void hasRoom() {
    KvInbox inbox;
    synchronized (this) {
      inbox = requests;
    }
    if (inbox != null) {
      inbox.request(1);
    }
  }

  /**
   * It is over. Completes when decode was told, if there is something to tell.
   *
   * @param word what to tell; null if decode knows, or is gone
   */
  Mono<Void> over(KvRequest request, KvMessage.@Nullable End word) {
    Key key = new Key(request.decode().id(), request.id());
    boolean first;
    synchronized (this) {
      first = open.remove(key, request);
      if (word != null) {
        lastWords.put(key, word);
      }
    }
    if (first) {
      request.end();
      cache.leave();
    }
    return word == null ? Mono.empty() : cache.tell(request.decode(), word);
  }

  /** All of it has gone out, and will be counted so often. Decode asks only if it has given up. */
  void done(KvRequest request, long arrivals) {
    KvMessage.End word =
        new KvMessage.End(
            request.id(),
            KvMessage.Outcome.NOT_RUNNING,
            quietWhenDone(),
            arrivals,
            "all of it has gone out");
    remember(new Key(request.decode().id(), request.id()), word);
    over(request, null);
  }

  private synchronized void remember(Key key, KvMessage.End word) {
    lastWords.put(key, word);
  }

  /** Decode does not want it any more; whatever has become of it, it is told something. */
  void stop(KvRequest request) {
    // A hand-over that runs answers when what is in flight is done. One that had completed a moment
    // ago, and was still found, says nothing any more.
    if (!request.cancelled()) {
      Key key = new Key(request.decode().id(), request.id());
      cache.tell(request.decode(), lastWord(key)).subscribe();
    }
  }

  private synchronized KvMessage.End lastWord(Key key) {
    KvMessage.End word = lastWords.get(key);
    return word == null ? unknown(key) : word;
  }

  /** One of its writes may have failed, which only a NIC that fences keeps out for certain. */
  private KvMessage.End unknown(Key key) {
    return new KvMessage.End(
        key.id(),
        KvMessage.Outcome.NOT_RUNNING,
        quietWhenDone() && cache.engine.fencesLostPeers(),
        KvMessage.End.UNKNOWN,
        "it does not run");
  }

  /** A completion proves that nothing is on its way any more. */
  boolean quietWhenDone() {
    return cache.engine.completionLevel() == CompletionLevel.DELIVERED;
  }

  private void refuse(Peer sender, KvMessage.End word) {
    synchronized (this) {
      lastWords.put(new Key(sender.id(), word.id()), word);
    }
    cache.tell(sender, word).subscribe();
  }

  private static KvMessage.End refusal(long id, String reason) {
    return new KvMessage.End(id, KvMessage.Outcome.REFUSED, true, 0, reason);
  }

  /** What both channels of prefill have in common. */
  private abstract class Reader implements KvInbox.Handler {

    @Override
    public void otherVersion(Peer sender, long id, KvFormatException why) {
      cache.tell(sender, refusal(id, HandOverException.textOf(why))).subscribe();
    }

    boolean unexpected(Peer sender, KvMessage message) {
      LOG.warn(
          "{} sent a message that is not for prefill: {} {}",
          sender.address(),
          message.getClass().getSimpleName(),
          message.id());
      return false;
    }
  }

  private final class Requests extends Reader {

    @Override
    public boolean received(Peer sender, KvMessage message) {
      if (message instanceof KvMessage.Request request) {
        return admit(sender, request);
      }
      return unexpected(sender, message);
    }

    @Override
    public void ended(@Nullable Throwable reason) {
      synchronized (Desk.this) {
        ended = true;
        failure = reason;
      }
      models().forEach(model -> model.noMore(reason));
    }

    /** Whether it is kept until it is taken. */
    private boolean admit(Peer sender, KvMessage.Request message) {
      KvPrefill prefill = model(message.model());
      KvRequest request = null;
      String objection = null;
      try {
        if (prefill == null) {
          objection =
              "expected one of this node's models (" + names() + "), got " + message.model();
        } else {
          request = prefill.check(sender, message);
        }
      } catch (RuntimeException bad) {
        objection = HandOverException.textOf(bad);
      }
      Read done = read(sender, message.id(), request);
      if (done == Read.BEGUN && request != null) {
        request.watch(cache.lossOf(sender));
        return request.owner().keep(request);
      }
      if (done == Read.REFUSED) {
        refuse(
            sender,
            refusal(message.id(), objection == null ? "no more requests are taken" : objection));
      }
      return false;
    }

    /** In one step, so that a cancel, which comes on another thread, finds all of it or nothing. */
    private Read read(Peer sender, long id, @Nullable KvRequest request) {
      synchronized (Desk.this) {
        Sender known = senders.computeIfAbsent(sender.id(), any -> new Sender());
        if (id <= known.lastRead) {
          return Read.UNWANTED; // the same request again: the first one is being answered, or was
        }
        known.lastRead = id;
        boolean unwanted = known.cancelled.contains(id);
        NavigableSet<Long> settled = known.cancelled.headSet(id, true);
        cancelled -= settled.size();
        settled.clear();
        if (unwanted) {
          return Read.UNWANTED;
        }
        Key key = new Key(sender.id(), id);
        if (request == null || !cache.enter()) {
          lastWords.put(key, refusal(id, "refused"));
          return Read.REFUSED;
        }
        open.put(key, request);
        return Read.BEGUN;
      }
    }
  }

  private final class Urgent extends Reader {

    @Override
    public boolean received(Peer sender, KvMessage message) {
      switch (message) {
        case KvMessage.Describe question -> describe(sender, question);
        case KvMessage.Cancel cancel -> cancel(sender, cancel.id());
        default -> unexpected(sender, message);
      }
      return false;
    }

    @Override
    public void ended(@Nullable Throwable reason) {
      // The other channel says so, too.
    }

    private void describe(Peer sender, KvMessage.Describe question) {
      KvPrefill prefill = model(question.model());
      KvMessage answer =
          prefill == null
              ? refusal(
                  question.id(),
                  "expected one of this node's models (" + names() + "), got " + question.model())
              : new KvMessage.Description(
                  question.id(), cache.node, question.model(), prefill.memory().layout());
      cache.tell(sender, answer).subscribe();
    }

    private void cancel(Peer sender, long id) {
      Key key = new Key(sender.id(), id);
      KvRequest request;
      KvMessage.End word = null;
      synchronized (Desk.this) {
        request = open.get(key);
        if (request == null) {
          word = wordOf(key);
        }
      }
      if (request != null) {
        stop(request);
      } else if (word != null) {
        cache.tell(sender, word).subscribe();
      }
    }

    /** What to say of something that is not open. Null if there is no room to remember it. */
    private KvMessage.@Nullable End wordOf(Key key) {
      Sender known = senders.computeIfAbsent(key.decode(), any -> new Sender());
      KvMessage.End word = lastWords.get(key);
      if (word != null) {
        return word;
      }
      if (key.id() <= known.lastRead) {
        return forgot ? unknown(key) : never(key);
      }
      boolean isFull = known.cancelled.size() >= MAX_CANCELLED || cancelled >= MAX_ALL_CANCELLED;
      if (isFull && !known.cancelled.contains(key.id())) {
        return null;
      }
      if (known.cancelled.add(key.id())) {
        cancelled++;
      }
      // Of a node of which nothing was read it is not known whether this is still to come.
      word = known.lastRead == Long.MIN_VALUE && forgot ? unknown(key) : never(key);
      lastWords.put(key, word);
      return word;
    }

    /** It was not read, and will not be: those of one sender come in order. */
    private KvMessage.End never(Key key) {
      return new KvMessage.End(key.id(), KvMessage.Outcome.CANCELLED, true, 0, "cancelled");
    }
  }
}
