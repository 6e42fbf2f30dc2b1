package io.reactivetransfer.engine.peers;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.engine.base.Chain;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The control messages between this engine and one peer: what waits, and who owes whom credit. */
public final class Mail {

  /** So much may wait to be said to a peer that says more than it hears, or hears nothing. */
  static final int MAX_OF_SESSION = 1 << 16;

  /** So often may a peer forget this engine from one look at it to the next. */
  static final int MAX_FORGETS = 8;

  /** All channels, as a set of bits. */
  static final int ALL_CHANNELS = -1;

  final PeerLink peer;

  /** Whether the peer was told our address since the connection began. */
  boolean greeted;

  /** Which acquaintance with the peer this is: another number when we have forgotten it. */
  private int epoch;

  /** The number that the peer has given to its acquaintance with us; 0 before it greets. */
  private int theirEpoch;

  /** Whether a connection was lost since the peer greeted last. */
  private boolean broken;

  /** What the peer was last told that we know of its number, in this session. */
  private int toldKnown;

  /** Whether the peer has said in this session that it knows our number. */
  private boolean acknowledged;

  /** The messages of each channel that was used, in the order of their first use. */
  private final List<ChannelMail> channels = new ArrayList<>(1);

  private int turn;

  /** What a channel begins with that is used from now on. */
  private int credits;

  private int creditBytes;
  private int allowed;
  private long allowedBytes;

  /** The longest message that the peer takes. */
  int longest = Integer.MAX_VALUE;

  /** Messages that wait for the peer to take them, and their bytes. */
  int waiting;

  long waitingBytes;

  /** Of which channels the peer is to be told what it may send, as a set of bits. */
  int creditDue;

  /** Whether someone waits until the peer has greeted. */
  boolean greetingWanted;

  /** Whether a sign of life is to be asked for. */
  boolean askDue;

  /** Whether one is to be given. */
  boolean answerDue;

  /** What is to be said, in order, and means nothing in another session. */
  final ArrayDeque<ByteBuffer> ofSession = new ArrayDeque<>();

  private int sessions;

  /** Whether it is to be told which NICs failed here. */
  boolean nicsDue;

  /** What has come of messages, how much of it when it was last found to go on, and looks since. */
  private long arrivedBytes;

  private long excusedBytes;
  private int looks;

  /** How often the peer has forgotten this engine since the last look. */
  private int forgets;

  /** Whether more waited to be said than may. */
  private boolean overfull;

  /** Barriers that were entered, here and there. */
  final BarrierEntries barriers = new BarrierEntries();

  /** Whether entries wait until there is another reason to believe that the peer is there. */
  private boolean barriersHeld;

  /** Why the peer is to be told that it is forgotten, or null. */
  @Nullable String dismissal;

  /** Whether it stands in the list of those that have something to send. */
  boolean listed;

  Mail(PeerLink peer, int epoch) {
    this.peer = peer;
    this.epoch = epoch;
  }

  public int epoch() {
    return epoch;
  }

  int theirEpoch() {
    return theirEpoch;
  }

  boolean isBroken() {
    return broken;
  }

  /** Whether the peer counts, or may count, what goes between us. */
  boolean isKnownThere() {
    return greeted || theirEpoch != 0;
  }

  /**
   * Whether the peer has answered our greeting since the session began, so that it can be written
   * to: when it did, it had shut out what we had on its way to it before. Who is greeted by someone
   * who does not know its number, or has not said that it knows theirs, greets in turn.
   */
  boolean isOpen() {
    return hasGreeted() && acknowledged;
  }

  /** Whether the peer has greeted since the session began. */
  boolean hasGreeted() {
    return theirEpoch != 0 && !broken;
  }

  /** Whether we have met the peer, and not in this session. */
  boolean isMetAgain() {
    return broken && theirEpoch != 0;
  }

  /** What to greet the peer with. */
  ByteBuffer greeting(PeerAddress address, int maxMessageBytes, List<PeerNic> nics) {
    toldKnown = broken ? 0 : theirEpoch;
    return new Greeting(epoch, toldKnown, maxMessageBytes, address, nics).toFrame();
  }

  /**
   * Forgets what was said and counted, as if nobody had met. What the application has not taken
   * stays in the inbox, and what it wants to send, in the queue.
   */
  void renew(int epoch) {
    this.epoch = epoch;
    theirEpoch = 0;
    greeted = false;
    broken = false;
    acknowledged = false;
    voidCredits();
    greetingWanted = false;
    askDue = false;
    answerDue = false;
    nicsDue = false;
    dismissal = null;
    endOfSession();
    peer.inbound().renewed();
    peer.outbound().renewed();
    barriers.reset();
  }

  /**
   * The peer greets: when a session begins, it may be let send.
   *
   * @param theirs the number that it gives to its acquaintance with us
   * @param ours the number that it knows of ours
   * @param longest the longest message that it takes
   */
  void greetedBy(int theirs, int ours, int longest) {
    if (theirs != theirEpoch || broken) {
      if (theirs != theirEpoch) {
        peer.inbound().begunAnew();
        peer.outbound().begunAnew();
      }
      theirEpoch = theirs;
      voidCredits();
      creditDue = ALL_CHANNELS;
    }
    this.longest = longest;
    greetingWanted = false;
    acknowledged = ours == epoch;
    if (!acknowledged || toldKnown != theirs) {
      greetAgain();
    }
    broken = false;
  }

  private void greetAgain() {
    greeted = false;
    toldKnown = 0;
    barriers.tellAgain();
  }

  /** The messages of one channel. */
  ChannelMail channel(int number) {
    for (ChannelMail each : channels) {
      if (each.number == number) {
        return each;
      }
    }
    ChannelMail fresh = new ChannelMail(number);
    fresh.credit(credits, creditBytes, credits);
    fresh.allowed = allowed;
    fresh.allowedBytes = allowedBytes;
    channels.add(fresh);
    return fresh;
  }

  /** Those of the channels that were used. */
  List<ChannelMail> channels() {
    return channels;
  }

  /** The one that may send the next frame. */
  ChannelMail channelInTurn() {
    return channels.get(turn % channels.size());
  }

  /** The next one is in turn. */
  void endTurn() {
    turn = (turn + 1) % channels.size();
  }

  /** The peer takes so many more of each channel. */
  void creditAll(int messages, int bytes, int max) {
    credits = (int) Math.min(max, (long) credits + messages);
    creditBytes = (int) Math.min(Integer.MAX_VALUE, (long) creditBytes + bytes);
    channels.forEach(each -> each.credit(messages, bytes, max));
  }

  /** It may send so many of each channel. */
  void allowAll(int messages, long bytes) {
    allowed = messages;
    allowedBytes = bytes;
    for (ChannelMail each : channels) {
      each.allowed = messages;
      each.allowedBytes = bytes;
    }
  }

  /** Whether the peer may send nothing on any channel, and nothing of it waits to be taken. */
  boolean isUnused() {
    return allowed == 0
        && channels.stream().allMatch(each -> each.allowed == 0 && each.untaken == 0);
  }

  /** What waits for the application takes so many bytes, with that of which not all has come. */
  long unreadBytes() {
    return channels.stream().mapToLong(ChannelMail::unreadBytes).sum();
  }

  private void voidCredits() {
    credits = 0;
    creditBytes = 0;
    allowed = 0;
    allowedBytes = 0;
    longest = Integer.MAX_VALUE;
    channels.forEach(ChannelMail::interrupted);
    creditDue = 0; // also of the room that these have left
  }

  /** The peer has forgotten this engine: whether it has done so too often of late. */
  boolean hasForgottenTooOften() {
    return ++forgets > MAX_FORGETS;
  }

  /** It is looked at: from now on it may forget this engine again. */
  void lookedAt() {
    forgets = 0;
  }

  /** A part of a message has come, of so many bytes. */
  void arrived(int bytes) {
    arrivedBytes += bytes;
  }

  /**
   * Whether messages that the peer has begun take room for which others wait, and it does not go
   * on: not with these, nor with others. Asked in each look at the peer.
   */
  boolean isStuck() {
    HalfMessage begun = begun();
    if (begun == null
        || !begun.isInTheWay(this)
        || arrivedBytes - excusedBytes >= ControlFrame.MAX_PART_BYTES) {
      excusedBytes = arrivedBytes;
      looks = 0;
      return false;
    }
    return ++looks > Liveness.ASKS_PER_DEADLINE;
  }

  /** One of those of which not all has come; null if there is none. */
  private @Nullable HalfMessage begun() {
    for (ChannelMail each : channels) {
      HalfMessage message = each.arriving();
      if (message != null) {
        return message;
      }
    }
    return null;
  }

  /** Whether a message waits to be sent. */
  boolean isSending() {
    return waiting > 0;
  }

  /** Whether there is a message that may be sent now, or that never may. */
  boolean canSend() {
    for (ChannelMail each : channels) {
      Chain.Link<ChannelMail.Outgoing> first = each.outgoing.first();
      if (first != null && (each.canSend() || first.member().length() > longest)) {
        return true;
      }
    }
    return false;
  }

  boolean hasEntries() {
    return barriers.isDue() && !barriersHeld;
  }

  /** The engine closes: what is on its way in is gone. */
  void close() {
    channels.forEach(ChannelMail::close);
  }

  /** A connection is gone, and what was on its way: the peer must be told anew where we are. */
  void interrupted() {
    broken = true;
    acknowledged = false;
    greetAgain();
    voidCredits();
    peer.inbound().interrupted();
    peer.outbound().interrupted();
    unreachable();
  }

  /** Nothing that is due can be said. */
  void unreachable() {
    creditDue = 0;
    greetingWanted = false;
    askDue = false;
    answerDue = false;
    nicsDue = false;
    endOfSession();
    dismissal = null;
    barriersHeld = true;
    peer.inbound().unreachable();
    peer.outbound().unreachable();
  }

  /** What was said, asked and agreed in the session means nothing any more. */
  private void endOfSession() {
    ofSession.clear();
    overfull = false;
    sessions++;
    peer.fences().interrupted();
  }

  /** Has this said in the present session, or never. */
  public void say(ByteBuffer frame) {
    if (ofSession.size() >= MAX_OF_SESSION) {
      overfull = true;
    } else if (hasGreeted()) { // else it was meant for a session that is over
      ofSession.add(frame);
      list();
    }
  }

  /** Whether the peer does not take what it is told. */
  boolean isOverfull() {
    return overfull;
  }

  // ---- what is to be said ----

  /** There may be something to say. */
  public void list() {
    peer.peers().list(this);
  }

  /** The peer was heard: what it could not be told, it may be. */
  void heard() {
    peer.inbound().heard();
    peer.outbound().heard();
    barriersHeld = false;
    list();
  }

  /** Greets the peer, so that it greets in turn, and can be written to. */
  public void greet() {
    peer.used();
    greetingWanted = true;
    list();
  }

  /** Asks the peer for a sign of life. */
  public void ask() {
    askDue = true;
    list();
  }

  /** Gives the peer a sign of life. */
  void answer() {
    answerDue = true;
    list();
  }

  /** Tells the peer which NICs have failed here. */
  void tellFailedNics() {
    nicsDue = true;
    list();
  }

  /** Tells the peer that the next round of a barrier was entered here. */
  void enterBarrier(EngineId group) {
    barriers.add(group);
    barriersHeld = false;
    list();
  }

  /** Tells the peer that it is forgotten, and then forgets it, unless it is lost before. */
  void dismiss(String reason) {
    dismissal = reason;
    list();
  }

  /** The number of the present session. */
  public int sessions() {
    return sessions;
  }

  boolean hasWork() {
    return isDue() || (!greeted && (owesGreeting() || isSending() || holdsAborts())) || canSend();
  }

  /** Whether somebody waits for a greeting, here or there. */
  private boolean owesGreeting() {
    return greetingWanted || hasGreeted();
  }

  /**
   * Whether the peer can be told of what was given up: it has greeted, so what it had on its way
   * from sessions before does not come any more, nor does that of ways that were lost since.
   */
  boolean canTellAborts() {
    return peer.outbound().isDue() && isOpen() && peer.fences().asked() == 0;
  }

  /** Whether it is to be told, and cannot yet. */
  boolean holdsAborts() {
    return peer.outbound().isDue() && !canTellAborts();
  }

  /** Whether there is something to say that needs no credit. */
  boolean isDue() {
    return creditDue != 0
        || askDue
        || answerDue
        || nicsDue
        || hasEntries()
        || !ofSession.isEmpty()
        || peer.inbound().isDue()
        || canTellAborts()
        || dismissal != null;
  }

  /** Whether nothing is to be said, but perhaps that it is over, and nothing waits to be taken. */
  boolean isIdle() {
    return channels.stream().allMatch(ChannelMail::isIdle)
        && (peer.loss() != null || peer.outbound().isSettled())
        && !peer.inbound().isDue()
        && !peer.outbound().isDue()
        && creditDue == 0
        && !greetingWanted
        && !askDue
        && !answerDue
        && !nicsDue
        && ofSession.isEmpty()
        && !hasEntries();
  }
}
