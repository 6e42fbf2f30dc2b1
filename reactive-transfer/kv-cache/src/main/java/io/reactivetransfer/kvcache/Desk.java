package io.reactivetransfer.kvcache;

import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.Peer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Prefill's side of the messages, for all models of a node: leads requests to the model that they
 * are for, and knows of each number that decode may cancel what has become of it.
 */
final class Desk {

  private static final Logger LOG = Loggers.getLogger(Desk.class);

  /**
   * What is done with a request that was read. One that neither begins nor is refused came before,
   * or was cancelled and answered for.
   */
  private record Reading(boolean begins, KvMessage.@Nullable End refusal) {

    static final Reading UNWANTED = new Reading(false, null);
    static final Reading BEGINS = new Reading(true, null);
  }

  private final KvCache cache;
  private final LogLimit warnings = new LogLimit(LOG);

  /** Guarded by this, like all below. */
  private final Map<String, KvPrefill> models = new TreeMap<>();

  private final KnownNumbers numbers;
  private final WaitingRoom room;
  private final Map<KnownNumbers.Key, KvRequest> open = new HashMap<>();
  private @Nullable Throwable failure;
  private boolean ended;
  private @Nullable KvInbox requests;

  /** No request is read: there was no room for one more. */
  private boolean pauses;

  /** Another one may read the messages: what does not run here may run there. */
  private boolean silent;

  /**
   * For one node.
   *
   * @param numbers those of its engine, whoever has read them
   */
  Desk(KvCache cache, KnownNumbers numbers) {
    this.cache = cache;
    this.numbers = numbers;
    this.room = new WaitingRoom(cache.options.maxWaitingBytes(), this::isRead);
  }

  /** Begins to take requests. */
  KvInbox open() {
    KvInbox inbox = KvInbox.open(cache.engine, KvInbox.REQUESTS, 1, new Requests());
    synchronized (this) {
      requests = inbox;
    }
    goOn(); // what had filled the room may have left it already
    return inbox;
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

  /** Nothing runs, and from now on another one may answer: this one vouches for nothing more. */
  synchronized void fallSilent() {
    silent = true;
  }

  private synchronized List<KvPrefill> models() {
    return new ArrayList<>(models.values());
  }

  private synchronized KvPrefill requireModel(String name) {
    KvPrefill prefill = models.get(name);
    if (prefill == null) {
      throw new IllegalArgumentException(
          "expected one of the models of node "
              + cache.node
              + " ("
              + (models.isEmpty() ? "none" : String.join(", ", models.keySet()))
              + "), got "
              + name);
    }
    return prefill;
  }

  /**
   * A request that was kept here does not wait any more: there is room again.
   *
   * @param isTaken whether the application gets it
   */
  void left(KvRequest request, boolean isTaken) {
    synchronized (this) {
      leaveRoom(request);
    }
    RequestRecording recording = request.recording();
    if (recording != null) {
      recording.dequeued(isTaken);
    }
    goOn();
  }

  /** Has the next request read, if that was put off and there is room. */
  private void goOn() {
    KvInbox inbox;
    synchronized (this) {
      if (!pauses || requests == null || room.isFull()) {
        return;
      }
      pauses = false;
      inbox = requests;
    }
    inbox.request(1);
  }

  /** Whether no more is read until there is room. */
  private synchronized boolean pause() {
    pauses = room.isFull();
    return pauses;
  }

  /** Whether somebody takes the requests for this model. Called with this locked. */
  private boolean isRead(String model) {
    KvPrefill prefill = models.get(model);
    return prefill != null && prefill.isRead();
  }

  private void leaveRoom(KvRequest request) {
    room.leave(request.decode().id(), request.model(), request.bytes());
  }

  /**
   * It is over. Completes when decode was told, if there is something to tell. Until then, and
   * until whoever hears that has heard it, this node is not closed. To be subscribed to, once.
   *
   * @param word what to tell; null if decode knows, or is gone
   * @param why what the recorder is told, if there is one; null if all was handed over
   */
  Mono<Void> over(
      KvRequest request, KvMessage.@Nullable End word, @Nullable Supplier<HandOverException> why) {
    KnownNumbers.Key key = keyOf(request);
    boolean first;
    synchronized (this) {
      first = open.remove(key, request);
      if (word != null) {
        numbers.say(key, word);
      }
    }
    if (first) {
      RequestRecording recording = request.recording();
      if (recording != null) {
        recording.ended(why);
      }
      request.end();
    }
    Mono<Void> told = word == null ? Mono.empty() : cache.tell(request.decode(), word);
    return first ? told.doFinally(end -> cache.leave()) : told;
  }

  /**
   * It is over, and there is nobody to tell; but he may come back, and ask.
   *
   * @return as of {@link #over}
   */
  Mono<Void> lost(KvRequest request, KvMessage.End word, HandOverException why) {
    remember(keyOf(request), word);
    return over(request, null, () -> why);
  }

  /**
   * All of it has gone out, and will be counted so often. Decode asks only if it has given up.
   *
   * @return as of {@link #over}
   */
  Mono<Void> done(KvRequest request, long arrivals) {
    KvMessage.End word =
        new KvMessage.End(
            request.id(),
            KvMessage.Outcome.NOT_RUNNING,
            quietWhenDone(),
            arrivals,
            "all of it has gone out");
    remember(keyOf(request), word);
    return over(request, null, null);
  }

  private static KnownNumbers.Key keyOf(KvRequest request) {
    return new KnownNumbers.Key(request.decode().id(), request.id());
  }

  private synchronized void remember(KnownNumbers.Key key, KvMessage.End word) {
    numbers.say(key, word);
  }

  /** Decode does not want it any more; whatever has become of it, it is told something. */
  void stop(KvRequest request) {
    // A hand-over that runs answers when what is in flight is done. One that had completed a moment
    // ago, and was still found, says nothing any more.
    if (!request.cancelled()) {
      cache.tell(request.decode(), lastWord(keyOf(request))).subscribe();
    }
  }

  private synchronized KvMessage.End lastWord(KnownNumbers.Key key) {
    KvMessage.End word = numbers.said(key);
    return word == null ? unknown(key) : word;
  }

  /** One of its writes may have failed, which only a NIC that fences keeps out for certain. */
  private KvMessage.End unknown(KnownNumbers.Key key) {
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

  private static KvMessage.End refusal(long id, String reason) {
    return new KvMessage.End(id, KvMessage.Outcome.REFUSED, true, 0, reason);
  }

  /** What both channels of prefill have in common. */
  private abstract class Reader implements KvInbox.Handler {

    @Override
    public void otherVersion(Peer sender, long id, KvFormatException why) {
      reject(sender, refusal(id, HandOverException.textOf(why)));
    }

    void reject(Peer sender, KvMessage.End refusal) {
      if (cache.recording.isOn()) {
        cache.recording.tell(recorder -> recorder.requestRejected(cache));
      }
      cache.tell(sender, refusal).subscribe();
    }

    boolean unexpected(Peer sender, KvMessage message) {
      warnings.warn(() ->
          "%s sent a message that is not for prefill: %s %d"
              .formatted(sender.address(), message.getClass().getSimpleName(), message.id()));
      return false;
    }
  }

  private final class Requests extends Reader {

    @Override
    public boolean received(Peer sender, KvMessage message, int bytes) {
      if (message instanceof KvMessage.Request request) {
        admit(sender, request, bytes);
        return pause();
      }
      return unexpected(sender, message);
    }

    @Override
    public void ended(@Nullable Throwable cause) {
      Throwable reason = cause instanceof IllegalStateException ? KvCache.unreadable(cause) : cause;
      synchronized (Desk.this) {
        ended = true;
        failure = reason;
      }
      models().forEach(model -> model.noMore(reason));
    }

    private void admit(Peer sender, KvMessage.Request message, int bytes) {
      KvRequest request = null;
      String objection = "no more requests are taken";
      try {
        request = requireModel(message.model()).check(sender, message, bytes);
      } catch (RuntimeException bad) {
        objection = HandOverException.textOf(bad);
      }
      Reading reading = read(sender, message.id(), request, objection);
      if (reading.refusal() != null) {
        reject(sender, reading.refusal());
      }
      if (reading.begins() && request != null) {
        RequestRecording recording = request.recording();
        if (recording != null) {
          recording.queued();
        }
        keep(request);
      }
    }

    /** Has it wait until it is taken, or says that it will not be. */
    private void keep(KvRequest request) {
      try {
        request.watch(cache.lossOf(request.decode()));
      } catch (Throwable failure) {
        // Of an application's timers, for instance. Nobody would know when its time is over.
        warnings.warn(() -> request + " is refused, since it cannot be watched", failure);
        left(request, false);
        request.dropped("it cannot be watched: " + HandOverException.textOf(failure));
        return;
      }
      if (!request.owner().keep(request)) {
        left(request, false);
      }
    }

    /** In one step, so that a cancel, which comes on another thread, finds all of it or nothing. */
    private Reading read(Peer sender, long id, @Nullable KvRequest request, String objection) {
      synchronized (Desk.this) {
        if (!numbers.read(sender.id(), id)) {
          return Reading.UNWANTED;
        }
        KnownNumbers.Key key = new KnownNumbers.Key(sender.id(), id);
        String reason = objection;
        if (request != null) {
          String full = room.enter(sender.id(), request.model(), request.bytes());
          if (full != null) {
            reason = full;
          } else if (cache.enter()) {
            open.put(key, request);
            return Reading.BEGINS;
          } else {
            leaveRoom(request);
          }
        }
        KvMessage.End refusal = refusal(id, reason);
        numbers.say(key, refusal);
        return new Reading(false, refusal);
      }
    }
  }

  private final class Urgent extends Reader {

    @Override
    public boolean received(Peer sender, KvMessage message, int bytes) {
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
      KvMessage answer;
      try {
        answer =
            new KvMessage.Description(
                question.id(),
                cache.node,
                question.model(),
                requireModel(question.model()).memory().layout());
      } catch (IllegalArgumentException none) {
        reject(sender, refusal(question.id(), HandOverException.textOf(none)));
        return;
      }
      cache.tell(sender, answer).subscribe();
    }

    private void cancel(Peer sender, long id) {
      KnownNumbers.Key key = new KnownNumbers.Key(sender.id(), id);
      KvRequest request;
      KvMessage.End word = null;
      synchronized (Desk.this) {
        request = open.get(key);
        if (request == null && !silent) {
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
    private KvMessage.@Nullable End wordOf(KnownNumbers.Key key) {
      KvMessage.End word = numbers.said(key);
      if (word != null) {
        return word;
      }
      KvMessage.End next =
          switch (numbers.cancel(key)) {
            case UNREAD -> never(key);
            case FORGOTTEN -> unknown(key);
            case NO_ROOM -> null;
          };
      if (next != null) {
        numbers.say(key, next);
      }
      return next;
    }

    /** It was not read, and will not be: those of one sender come in order. */
    private KvMessage.End never(KnownNumbers.Key key) {
      return new KvMessage.End(key.id(), KvMessage.Outcome.CANCELLED, true, 0, "cancelled");
    }
  }
}
