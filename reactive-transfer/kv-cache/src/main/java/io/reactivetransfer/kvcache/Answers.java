package io.reactivetransfer.kvcache;

import io.reactivetransfer.Peer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Decode's side of the messages: who waits for which answer. */
final class Answers implements KvInbox.Handler {

  /** Who waits for what prefill nodes say under one number. */
  interface Waiting {

    /** A prefill node has said this under the number. */
    void heard(Peer sender, KvMessage message);

    /** Somebody speaks another version. */
    void notUnderstood(Peer sender, KvFormatException why);
  }

  private final Map<Long, Waiting> waiting = new ConcurrentHashMap<>();

  private volatile @Nullable Throwable failure;

  /** Is told of what comes under this number. */
  void add(long id, Waiting who) {
    waiting.put(id, who);
  }

  void remove(long id, Waiting who) {
    waiting.remove(id, who);
  }

  /** Refuses to begin what needs answers, if none can be read. */
  void requireReadable() {
    Throwable cause = failure;
    if (cause != null) {
      throw new IllegalStateException("the engine's messages cannot be read: " + cause, cause);
    }
  }

  /** Asks a prefill node how it lays a model out. Fails if that has no such model, or is lost. */
  Mono<KvMessage.Description> description(KvCache cache, Peer prefill, String model) {
    return Mono.defer(() -> {
      Question question = new Question(prefill, model);
      long id = cache.ids.nextQuestion();
      add(id, question);
      return cache
          .ask(prefill, new KvMessage.Describe(id, cache.node, model), question.answer.asMono())
          .doFinally(end -> remove(id, question));
    });
  }

  @Override
  public boolean received(Peer sender, KvMessage message, int bytes) {
    Waiting who = waiting.get(message.id());
    if (who != null) {
      who.heard(sender, message);
    }
    return false;
  }

  /** It may have been the answer to anything that was asked of this one. */
  @Override
  public void otherVersion(Peer sender, long id, KvFormatException why) {
    List.copyOf(waiting.values()).forEach(who -> who.notUnderstood(sender, why));
  }

  @Override
  public void ended(@Nullable Throwable reason) {
    failure = reason;
  }

  private static final class Question implements Waiting {
    private final Peer prefill;
    private final String model;
    private final Sinks.One<KvMessage.Description> answer = Sinks.one();

    Question(Peer prefill, String model) {
      this.prefill = prefill;
      this.model = model;
    }

    @Override
    public void heard(Peer sender, KvMessage message) {
      if (!sender.id().equals(prefill.id())) {
        return;
      }
      if (message instanceof KvMessage.Description description
          && description.model().equals(model)) {
        answer.tryEmitValue(description);
      } else if (message instanceof KvMessage.End end) {
        answer.tryEmitError(refused(end.text()));
      }
    }

    @Override
    public void notUnderstood(Peer sender, KvFormatException why) {
      if (sender.id().equals(prefill.id())) {
        answer.tryEmitError(refused("it does not speak this version: " + why.getMessage()));
      }
    }

    private HandOverException refused(String text) {
      return new HandOverException(
          HandOverException.Reason.REFUSED,
          new HandOverException.Node("prefill", prefill, null),
          0,
          HandOverException.endOfPrefill(HandOverException.Reason.REFUSED, text));
    }
  }
}
