package io.reactivetransfer.kvcache;

import io.reactivetransfer.EngineId;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What prefill remembers of the numbers of requests: of each decode node which one was read last,
 * and which ones were cancelled before they came; and what was said last of those that have ended.
 * Bounded, whoever sends whatever. One for each engine, since what was vouched for holds for as
 * long as that is open. Safe from any thread.
 *
 * <p>Cancels overtake requests. The numbers of a decode node's requests go up in the order in which
 * they are read; so a number above the last one is still to come, and is dropped when it does.
 */
final class KnownNumbers {

  /**
   * How much is remembered.
   *
   * @param senders decode nodes whose numbers are remembered, those that were heard of last
   * @param cancelledOfOne cancels of one decode node whose requests are still to come
   * @param cancelled those of all decode nodes together; each takes some 60 bytes
   * @param words ends that are said again to whoever has not heard them
   */
  record Bounds(int senders, int cancelledOfOne, int cancelled, int words) {

    static final Bounds DEFAULT = new Bounds(16_384, 65_536, 1 << 20, 16_384);
  }

  /** A request. */
  record Key(EngineId decode, long id) {}

  /** What is known of a number that is cancelled, and does not run. */
  enum Fate {
    /** It was not read, and will not be. */
    UNREAD,
    /** It may have been read, and forgotten since. */
    FORGOTTEN,
    /** It may still come, and there is no room to remember that it is not wanted. */
    NO_ROOM
  }

  /** What is known of one decode node. */
  private static final class Sender {
    final EngineId id;
    long lastRead = Long.MIN_VALUE;
    final TreeSet<Long> cancelled = new TreeSet<>();

    Sender(EngineId id) {
      this.id = id;
    }
  }

  private final Bounds bounds;

  /** Nothing that they have cancelled is still to come: so they may be forgotten. */
  private final Map<EngineId, Sender> idle = new LinkedHashMap<>(16, 0.75f, true);

  /**
   * Others: their requests must be dropped when they come. Kept apart, so that they do not stand in
   * the way of forgetting. Each has a cancel at least, so these are bounded, too.
   */
  private final Map<EngineId, Sender> ahead = new HashMap<>();

  /** Of all senders. */
  private int cancelled;

  private final Map<Key, KvMessage.End> words = new LinkedHashMap<>(16, 0.75f, true);

  /** Whether there were more words than are known here. */
  private boolean forgotWords;

  /**
   * Whether there were more decode nodes of which something was read than are known here. Not so
   * when words were forgotten: else of a new node, whose request is still to come, nothing could be
   * said for certain any more.
   */
  private boolean forgotSenders;

  /** Knows of nothing. */
  KnownNumbers(Bounds bounds) {
    this.bounds = bounds;
  }

  /**
   * A request has come.
   *
   * @return whether it is wanted: it did not come before, and was not cancelled
   */
  synchronized boolean read(EngineId decode, long id) {
    Sender sender = sender(decode);
    if (id <= sender.lastRead) {
      return false;
    }
    sender.lastRead = id;
    boolean wanted = !sender.cancelled.contains(id);
    NavigableSet<Long> settled = sender.cancelled.headSet(id, true);
    cancelled -= settled.size();
    settled.clear();
    if (sender.cancelled.isEmpty() && ahead.remove(decode) != null) {
      idle.put(sender.id, sender);
      forgetSenders();
    }
    return wanted;
  }

  /** A cancel has come for something that does not run, and of which nothing was said. */
  synchronized Fate cancel(Key key) {
    Sender sender = sender(key.decode());
    if (key.id() <= sender.lastRead) {
      return forgotWords ? Fate.FORGOTTEN : Fate.UNREAD;
    }
    if (!sender.cancelled.contains(key.id())) {
      if (sender.cancelled.size() >= bounds.cancelledOfOne || cancelled >= bounds.cancelled) {
        return Fate.NO_ROOM;
      }
      sender.cancelled.add(key.id());
      cancelled++;
      idle.remove(key.decode());
      ahead.put(sender.id, sender);
    }
    // Of a node of which nothing was read it is not known whether this is still to come.
    return sender.lastRead == Long.MIN_VALUE && forgotSenders ? Fate.FORGOTTEN : Fate.UNREAD;
  }

  private Sender sender(EngineId decode) {
    Sender known = ahead.get(decode);
    if (known == null) {
      known = idle.computeIfAbsent(copy(decode), Sender::new);
      forgetSenders();
    }
    return known;
  }

  private void forgetSenders() {
    if (forgetOldest(idle, bounds.senders)) {
      forgotSenders = true;
    }
  }

  /** This was said last of a request. */
  synchronized void say(Key key, KvMessage.End word) {
    words.put(new Key(copy(key.decode()), key.id()), word);
    if (forgetOldest(words, bounds.words)) {
      forgotWords = true;
    }
  }

  /** What was said last of it; null if that is not known. */
  synchronized KvMessage.@Nullable End said(Key key) {
    return words.get(key);
  }

  /** How many decode nodes are known. */
  synchronized int senders() {
    return idle.size() + ahead.size();
  }

  /** How many cancels wait for their requests. */
  synchronized int cancelled() {
    return cancelled;
  }

  /**
   * An engine of this process is known by the object that is its id, for as long as that is used:
   * it is not to be kept here. See {@link OrderIds}.
   */
  private static EngineId copy(EngineId id) {
    return new EngineId(id.high(), id.low());
  }

  /** Forgets what was used longest ago, if there is more than that; says whether it did. */
  private static boolean forgetOldest(Map<?, ?> all, int max) {
    if (all.size() <= max) {
      return false;
    }
    Iterator<?> each = all.keySet().iterator();
    each.next();
    each.remove();
    return true;
  }
}
