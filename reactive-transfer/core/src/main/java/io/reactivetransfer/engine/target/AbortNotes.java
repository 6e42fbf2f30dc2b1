package io.reactivetransfer.engine.target;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.engine.base.IntMap;
import io.reactivetransfer.engine.peers.AbortFrame;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What origins told of a failure while nobody waited for what they gave up: each note fails one
 * claim that would have to wait. So many for each origin; of more, the oldest goes. Belongs to the
 * NIC thread.
 */
final class AbortNotes {

  /**
   * One of them.
   *
   * @param imm under which something was given up
   * @param origin by whom
   * @param text why
   */
  record Note(int imm, EngineId origin, String text) {}

  private final Map<EngineId, LinkedHashMap<Integer, Note>> byOrigin = new HashMap<>();
  private final IntMap<List<Note>> byImm = new IntMap<>();

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
    // one step that ends many writes says the same of all of them
    boolean same = youngest != null && youngest.getValue().text().equals(text);
    Note note = new Note(imm, origin, same ? youngest.getValue().text() : text);
    own.put(imm, note);
    List<Note> others = byImm.get(imm);
    if (others == null) {
      others = new ArrayList<>(1);
      byImm.put(imm, others);
    }
    others.add(note);
    if (own.size() > AbortFrame.MAX_NOTES) {
      end(own.firstEntry().getKey(), origin);
    }
  }

  /** The oldest one that concerns this claim; it is gone then. Null if there is none. */
  @Nullable Note take(Claim claim) {
    List<Note> notes = byImm.get(claim.imm);
    if (notes != null) {
      for (Note note : notes) {
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
    if (own.isEmpty()) {
      byOrigin.remove(origin);
    }
    List<Note> notes = byImm.get(imm);
    if (notes != null) {
      notes.remove(note);
      if (notes.isEmpty()) {
        byImm.remove(imm);
      }
    }
  }

  /** Whoever uses the immediate begins anew. */
  void discard(int imm) {
    List<Note> notes = byImm.get(imm);
    if (notes != null) {
      List.copyOf(notes).forEach(note -> end(imm, note.origin()));
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
