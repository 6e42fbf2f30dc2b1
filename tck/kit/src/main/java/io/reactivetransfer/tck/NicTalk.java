package io.reactivetransfer.tck;

import io.reactivetransfer.EngineId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the NICs of one engine have to say to NICs of others because a test wants it, and what they
 * hear. Used by the test's thread and the engine's: one lock guards all.
 */
final class NicTalk {

  /** The longest text of a test, in bytes: what goes before it is of the same message. */
  static final int MAX_BYTES = BareNic.MAX_SAID - NicTalkDomain.MARK.length;

  /**
   * What a NIC has said or heard.
   *
   * @param speaker the engine of the NIC that said it
   * @param from index of the NIC that said it
   * @param to index of the NIC that it is for
   * @param text null if the NIC that is told gives the other one up
   */
  record Word(EngineId speaker, int from, int to, @Nullable ByteBuffer text) {}

  /** What each NIC says to each one of a peer that it has resolved. */
  record Speech(EngineId peer, ByteBuffer text) {}

  private final List<Speech> speeches = new ArrayList<>();
  private final Map<Integer, Integer> spoken = new HashMap<>();
  private final List<Word> said = new ArrayList<>();
  private final List<Word> heard = new ArrayList<>();

  /** Each NIC says this, with its next poll, to each one of that peer that it has resolved. */
  synchronized void say(EngineId peer, ByteBuffer text) {
    speeches.add(new Speech(peer, text.asReadOnlyBuffer()));
  }

  /** What is to be said behind so many others, or null. */
  synchronized @Nullable Speech speech(int number) {
    return number < speeches.size() ? speeches.get(number) : null;
  }

  /** This NIC has said so many of them. */
  synchronized void spoken(int nic, int many) {
    spoken.put(nic, many);
  }

  /** Whether each NIC has said all that there is. */
  synchronized boolean hasSaidAll() {
    return spoken.values().stream().allMatch(many -> many == speeches.size());
  }

  synchronized void said(Word word) {
    said.add(word);
  }

  synchronized void heard(Word word) {
    heard.add(word);
  }

  /** What its NICs have said so far, in order. */
  synchronized List<Word> said() {
    return List.copyOf(said);
  }

  /** What its NICs have heard so far, in order. */
  synchronized List<Word> heard() {
    return List.copyOf(heard);
  }
}
