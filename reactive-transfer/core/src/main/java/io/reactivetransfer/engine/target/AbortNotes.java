package io.reactivetransfer.engine.target;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.engine.base.IntMap;
import io.reactivetransfer.engine.peers.AbortFrame;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What origins told of a failure while nobody waited for what they gave up: each note fails one
 * claim that would have to wait. So many for each origin, and the fewer the more origins there are;
 * of more, its oldest goes. Belongs to the NIC thread.
 */
final class AbortNotes {

  /** Of many origins each has an even part of this when it adds one. */
  static final int MAX_IN_ALL = 65_536;

  /** So many different texts are remembered; of more notes it is left out why. */
  static final int MAX_TEXTS = 4_096;

  private static final Why UNTOLD = new Why("more origins say why than are remembered");

  /** What one or several notes of one origin have in common. */
  private static final class Why {
    private final String text;
    private int notes;

    private Why(String text) {
      this.text = text;
    }
  }

  /**
   * One of them.
   *
   * @param imm under which something was given up
   * @param origin by whom
   * @param why what it said
   */
  record Note(int imm, EngineId origin, Why why) {
    String text() {
      return ClaimFailures.cause("immediate " + imm, origin, why.text);
    }
  }

  private final Map<EngineId, LinkedHashMap<Integer, Note>> byOrigin = new HashMap<>();
  private final IntMap<LinkedHashMap<EngineId, Note>> byImm;
  private int texts;

  AbortNotes(int seed) {
    byImm = new IntMap<>(seed);
  }

  boolean isEmpty() {
    return byOrigin.isEmpty();
  }

  int size() {
    return byOrigin.values().stream().mapToInt(Map::size).sum();
  }

  void add(int imm, EngineId origin, String text) {
    end(imm, origin);
    LinkedHashMap<Integer, Note> own =
        byOrigin.computeIfAbsent(origin, id -> new LinkedHashMap<>());
    Map.Entry<Integer, Note> youngest = own.lastEntry();
    Note note = new Note(imm, origin, why(youngest, text));
    remembered(note.why);
    own.put(imm, note);
    LinkedHashMap<EngineId, Note> others = byImm.get(imm);
    if (others == null) {
      others = new LinkedHashMap<>(2);
      byImm.put(imm, others);
    }
    others.put(origin, note);
    if (own.size() > Math.min(AbortFrame.MAX_NOTES, MAX_IN_ALL / byOrigin.size())) {
      end(own.firstEntry().getKey(), origin);
    }
  }

  /** One step that ends many writes says the same of all of them. */
  private Why why(Map.@Nullable Entry<Integer, Note> youngest, String text) {
    if (youngest != null && youngest.getValue().why.text.equals(text)) {
      return youngest.getValue().why;
    }
    return texts < MAX_TEXTS ? new Why(text) : UNTOLD;
  }

  private void remembered(Why why) {
    if (!why.equals(UNTOLD) && why.notes++ == 0) {
      texts++;
    }
  }

  private void forgotten(Why why) {
    if (!why.equals(UNTOLD) && --why.notes == 0) {
      texts--;
    }
  }

  /** Of how many different texts it remembers. */
  int texts() {
    return texts;
  }

  /** The oldest one that concerns this claim; it is gone then. Null if there is none. */
  @Nullable Note take(Claim claim) {
    Map<EngineId, Note> notes = byImm.get(claim.imm);
    if (notes != null) {
      for (Note note : notes.values()) {
        if (claim.concerns(note.origin())) {
          end(note.imm(), note.origin());
          return note;
        }
      }
    }
    return null;
  }

  /** The origin begins anew under this immediate. */
  void end(int imm, EngineId origin) {
    Map<Integer, Note> own = byOrigin.get(origin);
    Note note = own == null ? null : own.remove(imm);
    if (own == null || note == null) {
      return;
    }
    forgotten(note.why);
    if (own.isEmpty()) {
      byOrigin.remove(origin);
    }
    Map<EngineId, Note> notes = byImm.get(imm);
    if (notes != null) {
      notes.remove(origin);
      if (notes.isEmpty()) {
        byImm.remove(imm);
      }
    }
  }

  /** Whoever uses the immediate begins anew. */
  void discard(int imm) {
    Map<EngineId, Note> notes = byImm.get(imm);
    if (notes != null) {
      List.copyOf(notes.keySet()).forEach(origin -> end(imm, origin));
    }
  }

  /** The origin is gone for good. */
  void forget(EngineId origin) {
    Map<Integer, Note> own = byOrigin.get(origin);
    if (own != null) {
      List.copyOf(own.keySet()).forEach(imm -> end(imm, origin));
    }
  }
}
