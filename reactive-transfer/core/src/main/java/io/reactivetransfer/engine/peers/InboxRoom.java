package io.reactivetransfer.engine.peers;

import io.reactivetransfer.MessageChannel;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.ObjIntConsumer;

/**
 * How many messages wait for the application, over all senders, with those of which not all has
 * come. Each sender has a bound of its own, but anybody may be a sender, leave what it was granted,
 * and be gone: so while too many wait, nobody is granted more. But for what is sent on a channel of
 * which few wait: else whoever fills those that nobody reads would end the messages of all. What
 * was granted before may still come: it cannot be taken back, and if it were counted, those who
 * never use it would keep others waiting for ever. There is a limit to that, too: when more comes,
 * the session of whoever has most that waits ends, unless that one has none any more. And at half
 * as much again nothing more is taken, of anybody. Belongs to the NIC thread.
 */
final class InboxRoom {

  /** Messages that wait, and their bytes; while there are so many, no credit is granted. */
  static final int MAX_UNTAKEN = 1 << 16;

  static final long MAX_UNTAKEN_BYTES = Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 4);

  /** When so many bytes wait, also of what was granted before, it is asked who has most of them. */
  private static final long LIMIT_BYTES = Runtime.getRuntime().maxMemory() / 2;

  /** What a message takes besides its bytes, about. It counts to the limit, and not for credit. */
  static final int MESSAGE_BYTES = 128;

  /** Whoever has less than this part of the limit is not to blame for what others have. */
  private static final int LITTLE = 256;

  private static final int CHANNELS = MessageChannel.MAX_NUMBER + 1;

  /** Those that are owed credit of each channel, and get it when half of the room is free again. */
  private final List<Set<Mail>> owed = new ArrayList<>(CHANNELS);

  private final ObjIntConsumer<Mail> served;
  private final int[] untakenOf = new int[CHANNELS];
  private final long[] bytesOf = new long[CHANNELS];
  private int maxUntaken = MAX_UNTAKEN;
  private long maxBytes = MAX_UNTAKEN_BYTES;
  private long limitBytes = LIMIT_BYTES;

  /** What is too much now: a little more than waits, while that is more than the limit. */
  private long tooManyBytes = LIMIT_BYTES;

  private IntFunction<byte[]> memory = byte[]::new;
  private int untaken;
  private long untakenBytes;

  /**
   * Has room for all that may wait.
   *
   * @param served is given those that were owed credit and can be granted it, and of which channel
   */
  InboxRoom(ObjIntConsumer<Mail> served) {
    this.served = served;
    for (int channel = 0; channel < CHANNELS; channel++) {
      owed.add(new LinkedHashSet<>(0));
    }
  }

  /** Is full sooner. For tests. */
  void bound(int maxUntaken, long maxBytes) {
    this.maxUntaken = maxUntaken;
    this.maxBytes = maxBytes;
  }

  /** Asks when so many bytes wait, and takes half as many more. For tests. */
  void limit(long bytes) {
    limitBytes = bytes;
    tooManyBytes = bytes;
  }

  /** Has its memory from there. For tests. */
  void memory(IntFunction<byte[]> memory) {
    this.memory = memory;
  }

  /** Memory for a message, or a part of one. It is counted when it is said to be taken. */
  byte[] allocate(int bytes) {
    return memory.apply(bytes);
  }

  /** What all that waits takes, with what each message takes besides its bytes. */
  long waitingBytes() {
    return untakenBytes + (long) MESSAGE_BYTES * untaken;
  }

  /** So many bytes wait at most. */
  long mostBytes() {
    return limitBytes + limitBytes / 2;
  }

  /** Whether it is to be asked who has most of what waits if so many bytes more come. */
  boolean isTooMuch(int bytes) {
    return waitingBytes() + bytes > tooManyBytes;
  }

  /** Whether so many bytes more cannot be taken, whoever has most of what waits. */
  boolean isBeyond(int bytes) {
    return waitingBytes() + bytes > mostBytes();
  }

  /** Whether a sender of whom so many bytes wait has to do with it that there are too many. */
  boolean isToBlame(long bytes) {
    return bytes > limitBytes / LITTLE;
  }

  /** Who is to blame is gone, or nobody is: a little more may come before that is asked again. */
  void letLittleCome() {
    tooManyBytes = withLittle();
  }

  private long withLittle() {
    return Math.max(limitBytes, waitingBytes() + limitBytes / LITTLE);
  }

  /** Whether nobody is to be granted more of this channel. */
  boolean isFull(int channel) {
    boolean isFullInAll = untaken >= maxUntaken || untakenBytes >= maxBytes;
    return isFullInAll
        && (untakenOf[channel] >= share() || bytesOf[channel] >= maxBytes / CHANNELS);
  }

  /** What each channel has, whatever waits of others. */
  private int share() {
    return Math.max(1, maxUntaken / CHANNELS);
  }

  /** The channels of which nobody is to be granted more, as a set of bits. */
  int full() {
    int full = 0;
    for (int channel = 0; channel < CHANNELS; channel++) {
      full |= isFull(channel) ? 1 << channel : 0;
    }
    return full;
  }

  /** A message has begun to come, and takes so many bytes. */
  void begin(int channel, int bytes) {
    untaken++;
    untakenOf[channel]++;
    grow(channel, bytes);
  }

  /** One that has begun takes so many bytes more. */
  void grow(int channel, int bytes) {
    untakenBytes += bytes;
    bytesOf[channel] += bytes;
  }

  /** Whether somebody else than this one waits for room. */
  boolean isAwaited(Mail asker) {
    return !hasHalf()
        && owed.stream().anyMatch(waiting -> waiting.size() > (waiting.contains(asker) ? 1 : 0));
  }

  private boolean hasHalf() {
    return untaken <= maxUntaken / 2 && untakenBytes <= maxBytes / 2;
  }

  /** The application has taken a message, or what is missing of one does not come any more. */
  void take(int channel, int bytes) {
    untaken--;
    untakenBytes -= bytes;
    untakenOf[channel]--;
    bytesOf[channel] -= bytes;
    tooManyBytes = Math.min(tooManyBytes, withLittle());
    if (hasHalf()) {
      for (int each = 0; each < CHANNELS; each++) {
        serve(each);
      }
    } else if (untakenOf[channel] <= share() / 2 && bytesOf[channel] <= maxBytes / CHANNELS / 2) {
      serve(channel);
    }
  }

  private void serve(int channel) {
    Set<Mail> waiting = owed.get(channel);
    if (!waiting.isEmpty()) {
      List<Mail> all = List.copyOf(waiting);
      waiting.clear();
      all.forEach(mail -> served.accept(mail, channel));
    }
  }

  /** Owes this one credit of these channels, a set of bits. */
  void owe(Mail mail, int channels) {
    for (int rest = channels; rest != 0; rest &= rest - 1) {
      owed.get(Integer.numberOfTrailingZeros(rest)).add(mail);
    }
  }

  /** Owes it nothing any more. */
  void forgive(Mail mail) {
    owed.forEach(waiting -> waiting.remove(mail));
  }
}
