package io.reactivetransfer.engine.peers;

import io.reactivetransfer.MessageChannel;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ObjIntConsumer;

/**
 * How many messages wait for the application, over all senders. Each sender has a bound of its own,
 * but anybody may be a sender, leave what it was granted, and be gone: so while too many wait,
 * nobody is granted more. But for what is sent on a channel of which few wait: else whoever fills
 * those that nobody reads would end the messages of all. Belongs to the NIC thread.
 */
final class InboxRoom {

  /** Messages that wait, and their bytes; while there are so many, no credit is granted. */
  static final int MAX_UNTAKEN = 1 << 16;

  static final long MAX_UNTAKEN_BYTES = 256L << 20;

  private static final int CHANNELS = MessageChannel.MAX_NUMBER + 1;

  /** Those that are owed credit of each channel, and get it when half of the room is free again. */
  private final List<Set<Mail>> owed = new ArrayList<>(CHANNELS);

  private final int[] untakenOf = new int[CHANNELS];
  private final long[] bytesOf = new long[CHANNELS];
  private int maxUntaken = MAX_UNTAKEN;
  private int untaken;
  private long untakenBytes;

  InboxRoom() {
    for (int channel = 0; channel < CHANNELS; channel++) {
      owed.add(new LinkedHashSet<>(0));
    }
  }

  /** Is full sooner. For tests. */
  void bound(int maxUntaken) {
    this.maxUntaken = maxUntaken;
  }

  /** Whether nobody is to be granted more of this channel. */
  boolean isFull(int channel) {
    boolean isFullInAll = untaken >= maxUntaken || untakenBytes >= MAX_UNTAKEN_BYTES;
    return isFullInAll
        && (untakenOf[channel] >= share() || bytesOf[channel] >= MAX_UNTAKEN_BYTES / CHANNELS);
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

  /** A message has come. */
  void put(int channel, int bytes) {
    untaken++;
    untakenBytes += bytes;
    untakenOf[channel]++;
    bytesOf[channel] += bytes;
  }

  /**
   * The application has taken one.
   *
   * @param served is given those that can be granted credit now, and of which channel
   */
  void take(int channel, int bytes, ObjIntConsumer<Mail> served) {
    untaken--;
    untakenBytes -= bytes;
    untakenOf[channel]--;
    bytesOf[channel] -= bytes;
    if (untaken <= maxUntaken / 2 && untakenBytes <= MAX_UNTAKEN_BYTES / 2) {
      for (int each = 0; each < CHANNELS; each++) {
        serve(each, served);
      }
    } else if (untakenOf[channel] <= share() / 2
        && bytesOf[channel] <= MAX_UNTAKEN_BYTES / CHANNELS / 2) {
      serve(channel, served);
    }
  }

  private void serve(int channel, ObjIntConsumer<Mail> served) {
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
