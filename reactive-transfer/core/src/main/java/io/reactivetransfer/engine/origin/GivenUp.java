package io.reactivetransfer.engine.origin;

import io.reactivetransfer.engine.peers.AbortFrame;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.engine.peers.Liveness;
import io.reactivetransfer.engine.peers.PeerLink;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What was given up here of what was meant for one peer, by immediate, for as long as the peer does
 * not know it: which shares it has to take back, and where nobody can say how many it has counted.
 * Survives the loss of the peer, and is told when it is heard again. Belongs to the NIC thread.
 *
 * <p>While shares are to be taken back, new flights under the same immediate are held: their pieces
 * would complete what the dead ones have begun.
 */
final class GivenUp {

  /**
   * Immediates that a peer which is lost has to be told of; with more, it is told of all at once.
   */
  static final int MAX_UNTOLD = 1_024;

  /**
   * Immediates that a peer which is there has yet to acknowledge; with more, too, it is told of all
   * at once, and nothing more is counted there.
   */
  static final int MAX_UNACKNOWLEDGED = 1 << 17;

  /** So often is a lost peer sought, each time after twice the time, before it must come itself. */
  private static final int MAX_ATTEMPTS = 12;

  private static final String FORGOTTEN =
      "the target has forgotten this engine, and may have taken back what was given up, or not";

  /** One immediate. */
  static final class Entry {
    final int imm;
    private final Set<Flight> held = new LinkedHashSet<>(4);
    private long untold;
    private long told;
    private int unacknowledged;
    private @Nullable String reason;
    private boolean remembered;
    private long youngestSubmission;
    private boolean resumed;
    private boolean doubtful;
    private boolean doubtDue;
    private int doubtSeq;
    private @Nullable String doubt;
    private boolean listed;

    Entry(int imm) {
      this.imm = imm;
    }

    private boolean hasUntold() {
      return untold != 0 || reason != null || resumed || doubtDue;
    }

    private boolean holds() {
      return untold + told != 0;
    }
  }

  /** What was said, until it is acknowledged: after a loss it is said again, word for word. */
  private record Told(int seq, Entry entry, long shares, int flags, String text) {}

  private final PeerLink peer;
  private final Map<Integer, Entry> entries = new LinkedHashMap<>();
  private final ArrayDeque<Entry> due = new ArrayDeque<>();
  private final ArrayDeque<Told> unacknowledged = new ArrayDeque<>();
  private final ArrayDeque<Told> again = new ArrayDeque<>();

  /** Where the peer may keep a note, and which submission was the youngest when it was told. */
  private final Map<Integer, Long> notes = new LinkedHashMap<>();

  /** Of which more was given up since they were told, and of that nothing was acknowledged yet. */
  private final Set<Entry> heldBack = new LinkedHashSet<>();

  /** Whether there may be entries or notes. */
  private boolean remembers;

  private @Nullable Entry everything;
  private int lastSeq;
  private int doubts;
  private boolean resting;
  private int attempts;
  private int looksToGo;

  GivenUp(PeerLink peer) {
    this.peer = peer;
  }

  // ---- what is given up ----

  /**
   * A flight has ended, or was never begun, and is not done.
   *
   * @param shares what it has counted, as far as that is known
   * @param doubt why that is not known, or null if it is
   * @param reason what those who wait are to be told, or null if they were
   * @param youngestSubmission what begins later than this one begins anew
   */
  void add(
      int imm,
      long shares,
      @Nullable String doubt,
      @Nullable String reason,
      long youngestSubmission) {
    Entry entry = entries.get(imm);
    if (entry == null) {
      if (shares == 0 && doubt == null && reason != null && hasTooManyUntold()) {
        tellOfEverything(reason);
        return;
      }
      if (shares == 0 && doubt == null && reason == null) {
        return;
      }
      entry = new Entry(imm);
      entries.put(imm, entry);
      remembers = true;
    }
    if (doubt != null || (entry.doubtful && shares != 0)) {
      doubt(entry, doubt);
    } else {
      entry.untold += shares;
    }
    if (reason != null && (!entry.doubtful || entry.doubtDue)) {
      entry.reason = reason;
      entry.remembered = true;
      entry.youngestSubmission = youngestSubmission;
    }
    list(entry);
  }

  private void doubt(Entry entry, @Nullable String doubt) {
    if (!entry.doubtful) {
      entry.doubtful = true;
      doubts++;
    }
    if (doubt != null) {
      entry.doubt = doubt;
    }
    entry.doubtDue = true;
    entry.untold = 0; // whatever it has counted is dropped
  }

  private boolean hasTooManyUntold() {
    return entries.size() >= (resting ? MAX_UNTOLD : MAX_UNACKNOWLEDGED);
  }

  private void tellOfEverything(String reason) {
    Entry all = everything;
    if (all == null) {
      all = new Entry(ControlFrame.ALL_IMMS);
      everything = all;
    }
    all.reason = reason;
    list(all);
  }

  /** Has it told now, or together with what is given up until what was told is acknowledged. */
  private void list(Entry entry) {
    if (!entry.listed && entry.hasUntold()) {
      if (entry.unacknowledged == 0 || entry.resumed) {
        heldBack.remove(entry);
        entry.listed = true;
        due.add(entry);
      } else {
        heldBack.add(entry);
      }
    }
  }

  /** Whatever follows must find it told: nothing waits for an acknowledgement. */
  void tellAll() {
    for (Entry entry : heldBack) {
      entry.listed = true;
      due.add(entry);
    }
    heldBack.clear();
  }

  // ---- what is begun ----

  /** Asked for each write, and mostly there was never anything: then that is all that is read. */
  boolean isEmpty() {
    if (remembers) {
      remembers = !(entries.isEmpty() && notes.isEmpty());
    }
    return !remembers;
  }

  /** Whether the peer has nothing to be told, and nothing to answer. */
  boolean isSettled() {
    return entries.isEmpty() && everything == null;
  }

  /** Immediates that are remembered. */
  int size() {
    return entries.size() + (everything == null ? 0 : 1);
  }

  /** Why nothing may be counted there under this immediate, or null if it may. */
  @Nullable String doubt(int imm) {
    Entry entry = entries.get(imm);
    if (entry != null && entry.doubtful) {
      askAgain(entry);
      return entry.doubt;
    }
    if (entry == null && entries.size() >= MAX_UNACKNOWLEDGED) {
      return "it has not acknowledged what was given up under " + entries.size() + " others";
    }
    return doubts < AbortFrame.MAX_DOUBTFUL
        ? null
        : "so are " + doubts + " others there, which is the most";
  }

  /** The peer may have cleared it, and the word been lost: it answers when it is told again. */
  private void askAgain(Entry entry) {
    if (again.isEmpty() && entry.unacknowledged == 0 && !entry.listed) {
      again.add(new Told(entry.doubtSeq, entry, 0, ControlFrame.DOUBT, ""));
    }
  }

  /**
   * A flight is to be begun.
   *
   * @return whether it is held until the peer has taken back what it would complete
   */
  boolean holds(Flight flight) {
    int imm = flight.imm();
    Entry entry = entries.get(imm);
    resume(entry, imm, flight.submission().serial());
    if (entry == null || !entry.holds()) {
      return false;
    }
    if (entry.held.isEmpty()) {
      peer.wanted(1);
    }
    entry.held.add(flight);
    flight.hold(entry);
    wake();
    return true;
  }

  /** What the peer was told before concerns those who claim from now on no more. */
  private void resume(@Nullable Entry known, int imm, long submission) {
    if (known != null && known.reason != null && submission > known.youngestSubmission) {
      known.remembered = false; // and not by what the failed step itself still begins
    }
    Long youngest = notes.get(imm);
    if (youngest != null && submission > youngest) {
      notes.remove(imm);
      Entry entry = known == null ? new Entry(imm) : known;
      entries.putIfAbsent(imm, entry);
      remembers = true;
      entry.resumed = true;
      list(entry);
    }
  }

  /** A flight that is held has ended. */
  void release(Flight flight) {
    Entry entry = flight.held;
    if (entry != null && entry.held.remove(flight) && entry.held.isEmpty()) {
      peer.wanted(-1);
    }
    flight.hold(null);
  }

  /** What is held under an immediate that came to be in doubt; it is held no more. */
  List<Flight> refused(int imm) {
    Entry entry = entries.get(imm);
    return entry != null && entry.doubtful ? release(entry) : List.of();
  }

  private List<Flight> release(Entry entry) {
    List<Flight> free = List.copyOf(entry.held);
    free.forEach(this::release);
    return free;
  }

  // ---- what is told ----

  /** Whether there is something to say now. */
  boolean hasToTell() {
    return !resting && !(due.isEmpty() && again.isEmpty());
  }

  /** What is to be said next; {@link #sent} takes note that it was. */
  AbortFrame next() {
    Told told = again.peek();
    if (told == null) {
      Entry entry = due.element();
      told = new Told(lastSeq + 1, entry, entry.untold, flags(entry), text(entry));
    }
    return new AbortFrame(told.seq, told.entry.imm, told.shares, told.flags, told.text);
  }

  private static int flags(Entry entry) {
    int flags = entry.resumed ? ControlFrame.RESUMED : 0;
    flags |= entry.doubtful ? ControlFrame.DOUBT : 0;
    flags |= entry.reason != null ? ControlFrame.FAILS : 0;
    return flags | (entry.reason != null && entry.remembered ? ControlFrame.NOTE : 0);
  }

  private static String text(Entry entry) {
    String text = entry.reason == null ? entry.doubt : entry.reason;
    return text == null ? "" : text;
  }

  /** It was said; returns whether that was news of something that is not done. */
  boolean sent(long youngestSubmission) {
    if (again.poll() != null) {
      return false;
    }
    Entry entry = due.remove();
    Told told = new Told(++lastSeq, entry, entry.untold, flags(entry), text(entry));
    unacknowledged.add(told);
    entry.unacknowledged++;
    entry.listed = false;
    if (entry.doubtful) {
      entry.doubtSeq = told.seq;
    }
    if ((told.flags & ControlFrame.NOTE) != 0) {
      note(entry.imm, youngestSubmission);
    }
    entry.told += entry.untold;
    entry.untold = 0;
    entry.reason = null;
    entry.resumed = false;
    entry.doubtDue = false;
    return AbortFrame.takesBack(told.shares, told.flags);
  }

  /** As many as the peer keeps, and the same ones. */
  private void note(int imm, long youngestSubmission) {
    notes.remove(imm);
    notes.put(imm, youngestSubmission);
    remembers = true;
    if (notes.size() > AbortFrame.MAX_NOTES) {
      notes.remove(notes.keySet().iterator().next());
    }
  }

  /**
   * The peer knows all up to this one.
   *
   * @return flights that are held no more
   */
  List<Flight> acknowledged(int seq) {
    List<Flight> free = new ArrayList<>();
    attempts = 0;
    while (!again.isEmpty() && again.element().seq - seq <= 0) {
      again.remove();
    }
    while (!unacknowledged.isEmpty() && unacknowledged.element().seq - seq <= 0) {
      Told told = unacknowledged.remove();
      Entry entry = told.entry;
      entry.unacknowledged--;
      entry.told -= told.shares;
      list(entry);
      if (!entry.holds()) {
        free.addAll(release(entry));
      }
      tidy(entry);
    }
    return free;
  }

  /** The peer's application has dropped what was in doubt, all that it was told up to this one. */
  void cleared(int imm, int seq) {
    Entry entry = entries.get(imm);
    if (entry != null && entry.doubtful && !entry.doubtDue && entry.doubtSeq - seq <= 0) {
      entry.doubtful = false;
      entry.doubt = null;
      doubts--;
      tidy(entry);
    }
  }

  private void tidy(Entry entry) {
    if (entry.unacknowledged > 0 || entry.listed || entry.doubtful || entry.hasUntold()) {
      return;
    }
    if (entry.equals(everything)) {
      everything = null;
    } else {
      entries.remove(entry.imm);
    }
  }

  // ---- a peer that is lost ----

  /**
   * The peer has forgotten this engine, and with it what it was told. What it had not acknowledged
   * it may have taken back or not: that is in doubt. It is told the rest once more.
   *
   * @return the immediates that came to be in doubt
   */
  List<Integer> begunAnew() {
    List<Integer> doubted = new ArrayList<>();
    List<Told> uncertain = List.copyOf(unacknowledged);
    Set<Entry> failsAgain = new HashSet<>();
    unacknowledged.clear();
    again.clear();
    notes.clear(); // the peer has dropped its own
    for (Told told : uncertain) {
      Entry entry = told.entry;
      entry.unacknowledged--;
      entry.told -= told.shares;
      if ((told.flags & ControlFrame.RESUMED) != 0 && failsAgain.remove(entry)) {
        entry.reason = null; // that it is used again was told behind that
        entry.remembered = false;
      }
      if ((told.flags & ControlFrame.FAILS) != 0 && entry.reason == null) {
        entry.reason = told.text;
        entry.remembered = (told.flags & ControlFrame.NOTE) != 0;
        failsAgain.add(entry);
      }
      if (told.shares != 0 || (told.flags & ControlFrame.DOUBT) != 0) {
        doubt(entry, entry.doubt == null ? FORGOTTEN : entry.doubt);
        doubted.add(entry.imm);
      }
    }
    for (Told told : uncertain) {
      list(told.entry);
      tidy(told.entry);
    }
    return doubted;
  }

  /** Nothing can be told now, and what was told may not have come. */
  void interrupted() {
    again.clear();
    again.addAll(unacknowledged);
    if (resting || (again.isEmpty() && due.isEmpty())) {
      return;
    }
    resting = true;
    boolean seeks = attempts < MAX_ATTEMPTS;
    looksToGo = seeks ? Liveness.ASKS_PER_DEADLINE << attempts++ : Integer.MAX_VALUE;
    if (entries.size() > MAX_UNTOLD) {
      forgetReasons();
    }
  }

  /** Too many, and the peer may never come back: it will be told of all of them at once. */
  private void forgetReasons() {
    String last = null;
    for (Iterator<Entry> each = due.iterator(); each.hasNext() && entries.size() > MAX_UNTOLD; ) {
      Entry entry = each.next();
      if (entry.imm != ControlFrame.ALL_IMMS
          && entry.untold == 0
          && entry.unacknowledged == 0
          && !entry.doubtful
          && !entry.resumed) {
        each.remove();
        entries.remove(entry.imm);
        last = entry.reason == null ? last : entry.reason;
      }
    }
    if (last != null) {
      tellOfEverything(last);
    }
  }

  /** The peer was heard, or someone needs it: what is to be told is told. True if that is new. */
  boolean wake() {
    boolean rested = resting;
    resting = false;
    return rested;
  }

  /** A quarter of the liveness deadline has passed; true if the peer is to be sought now. */
  boolean look() {
    return resting && --looksToGo <= 0 && wake();
  }
}
