package io.reactivetransfer.staging;

import io.reactivetransfer.Device;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The windows that peers have here, and those that they wait for. All have their turn: who asks
 * when there is no room gets that of whoever has had his for longest. He is asked for it once he
 * has used it, or could have, and loses it if he does not give it back in time.
 */
final class Windows {

  /** Within this who waits is told so: how long it is patient is its own setting. */
  private static final long MOST_SILENCE_NANOS = 250_000_000;

  private final Nics nics;
  private final Registry registry;
  private final Slots slots;
  private final Consumer<InWindow> endSlots;

  /** The oldest first. */
  private final List<InWindow> all = new ArrayList<>();

  private final ArrayDeque<WindowRequest> waiting = new ArrayDeque<>();

  /** When those who wait were last told that they are not forgotten. */
  private long toldNanos;

  /**
   * None so far.
   *
   * @param endSlots lets go of the buffers of one
   */
  Windows(Nics nics, Registry registry, Slots slots, Consumer<InWindow> endSlots) {
    this.nics = nics;
    this.registry = registry;
    this.slots = slots;
    this.endSlots = endSlots;
  }

  /** A peer asks for one, which takes the place of what it had. */
  void asked(StagedPeer peer, ByteBuffer message) {
    WindowRequest request = new WindowRequest(peer, message);
    leave(peer);
    String refusal = refusal(request);
    if (refusal != null) { // whoever asks for nothing that there is has no NIC opened
      deny(request, refusal);
      return;
    }
    nics.second().open();
    waiting.addLast(request);
    nics.say(peer, Messages.of(Messages.QUEUED, request.window));
  }

  /** A peer gives one back. */
  void givenBack(StagedPeer peer, long id) {
    InWindow window = peer.inWindow;
    if (window != null && window.id == id) {
      end(window, null);
    }
    waiting.removeIf(request -> request.peer == peer && request.window == id);
  }

  /** A peer has none any more, and waits for none. */
  void leave(StagedPeer peer) {
    waiting.removeIf(request -> request.peer == peer);
    InWindow window = peer.inWindow;
    if (window != null) {
      end(window, null);
    }
  }

  /**
   * Ends one; nothing of it lands any more when its buffers are deregistered.
   *
   * @param why for its peer, which is told; null if it knows
   */
  void end(InWindow window, @Nullable String why) {
    if (window.isOver) {
      return;
    }
    window.isOver = true;
    window.peer.inWindow = null;
    all.remove(window);
    endSlots.accept(window);
    if (why != null) {
      nics.say(window.peer, Messages.of(Messages.END, window.id, why));
    }
    releaseIfQuiet(window);
  }

  /** Forgets where acknowledgements went, when none is out. */
  void releaseIfQuiet(InWindow window) {
    if (window.isOver && window.notesOut == 0 && !window.areNotesReleased) {
      window.areNotesReleased = true;
      nics.second().domain().release(window.notes);
    }
  }

  /** Grants what can be granted; returns how much. */
  int advance() {
    int work = grantRegistered();
    Failure broken = nics.second().failure();
    Failure failure = broken == null ? slots.shortage(OutWindow.SLOTS) : broken;
    if (failure != null) {
      work += waiting.size();
      waiting.forEach(request -> deny(request, failure.text()));
      waiting.clear();
    }
    work += remind();
    if (waiting.isEmpty() || !nics.second().isOpen()) {
      return work;
    }
    while (!waiting.isEmpty() && slots.haveRoom(OutWindow.SLOTS)) {
      begin(waiting.removeFirst());
      work++;
    }
    return waiting.isEmpty() ? work : work + makeRoom();
  }

  private @Nullable StagedMemory find(WindowRequest request) {
    return registry.find(request.key.high(), request.key.low());
  }

  private @Nullable String refusal(WindowRequest request) {
    return Registry.refusal(find(request), 0, 0);
  }

  private void deny(WindowRequest request, String why) {
    nics.say(request.peer, Messages.of(Messages.DENY, request.window, why));
  }

  private void begin(WindowRequest request) {
    StagedMemory memory = find(request);
    String refusal = refusal(request);
    if (memory == null || refusal != null) { // it was revoked meanwhile
      deny(request, String.valueOf(refusal));
      return;
    }
    StagedPeer peer = request.peer;
    try {
      RemotePeer second = peer.second(nics.second().domain(), request.address);
      List<Pinned> buffers = buffers(memory.memory().device());
      RemoteMemory notes = resolveNotes(second, request, buffers);
      InWindow window = new InWindow(request, notes, nics.clock().now());
      for (Pinned buffer : buffers) {
        window.slots.add(new InSlot(nics, window, window.slots.size(), buffer));
      }
      peer.inWindow = window;
      all.add(window);
    } catch (BackendException e) {
      deny(request, "there are no buffers: " + e.getMessage());
    }
  }

  private List<Pinned> buffers(Device device) {
    List<Pinned> buffers = new ArrayList<>();
    try {
      while (buffers.size() < OutWindow.SLOTS) {
        buffers.add(slots.take(device));
      }
      return buffers;
    } catch (BackendException e) {
      buffers.forEach(slots::give);
      throw e;
    }
  }

  private RemoteMemory resolveNotes(
      RemotePeer second, WindowRequest request, List<Pinned> buffers) {
    try {
      return nics.second().domain().resolve(second, request.notesKey, Frame.BYTES);
    } catch (BackendException e) {
      buffers.forEach(slots::give);
      throw e;
    }
  }

  private int grantRegistered() {
    int granted = 0;
    for (int i = all.size() - 1; i >= 0; i--) {
      InWindow window = all.get(i);
      if (window.isGranted || !window.isRegistered()) {
        continue;
      }
      granted++;
      window.isGranted = true;
      window.grantedNanos = nics.clock().now();
      Failure refusal = window.refusal();
      if (refusal == null) {
        byte[] address = nics.second().domain().address();
        nics.say(window.peer, Messages.grant(window, address));
      } else {
        nics.say(window.peer, Messages.of(Messages.DENY, window.id, refusal.text()));
        end(window, null);
      }
    }
    return granted;
  }

  /**
   * Tells those who wait that they are not forgotten, whatever it is that they wait for: room, the
   * second NIC, which may take its time to open, or that it registers their buffers. Returns how
   * many are told.
   */
  private int remind() {
    long now = nics.clock().now();
    if (now - toldNanos <= silenceNanos()) {
      return 0;
    }
    toldNanos = now;
    int told = waiting.size();
    waiting.forEach(
        request -> nics.say(request.peer, Messages.of(Messages.QUEUED, request.window)));
    for (InWindow window : all) {
      if (!window.isGranted) {
        nics.say(window.peer, Messages.of(Messages.QUEUED, window.id));
        told++;
      }
    }
    return told;
  }

  private long silenceNanos() {
    return Math.min(nics.patienceNanos() / 4, MOST_SILENCE_NANOS);
  }

  private int makeRoom() {
    long now = nics.clock().now();
    int work = 0;
    InWindow oldest = null;
    int asked = 0;
    for (InWindow window : all) {
      if (window.askedBackNanos >= 0) {
        asked++;
      } else if (oldest == null && hasHadItsTurn(window, now)) {
        oldest = window;
      }
    }
    if (oldest != null && asked < waiting.size()) {
      oldest.askedBackNanos = now;
      nics.say(oldest.peer, Messages.of(Messages.ASK_BACK, oldest.id));
      work++;
    }
    for (int i = all.size() - 1; i >= 0; i--) {
      InWindow window = all.get(i);
      if (window.askedBackNanos >= 0 && now - window.askedBackNanos > nics.patienceNanos()) {
        end(window, "it was asked back for another peer, and not given");
        work++;
      }
    }
    return work;
  }

  /** Else who waited for it would give it back without having written anything, and wait again. */
  private boolean hasHadItsTurn(InWindow window, long now) {
    return window.isGranted && (window.isUsed || now - window.grantedNanos > silenceNanos());
  }
}
