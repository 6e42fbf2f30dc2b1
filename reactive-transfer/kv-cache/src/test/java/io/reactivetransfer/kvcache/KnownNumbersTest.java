package io.reactivetransfer.kvcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.kvcache.KnownNumbers.Bounds;
import io.reactivetransfer.kvcache.KnownNumbers.Fate;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What strangers make a prefill node remember is bounded, and costs those it knows nothing. */
class KnownNumbersTest {

  private static final Bounds SMALL = new Bounds(100, 8, 200, 10);

  private final KnownNumbers numbers = new KnownNumbers(SMALL);

  private static EngineId engine(long number) {
    return new EngineId(7, number);
  }

  private static KnownNumbers.Key key(long engine, long id) {
    return new KnownNumbers.Key(engine(engine), id);
  }

  private static KvMessage.End word(KnownNumbers.Key key) {
    return new KvMessage.End(key.id(), KvMessage.Outcome.CANCELLED, true, 0, "");
  }

  @Test
  void theBoundsOfANode() {
    assertThat(Bounds.DEFAULT).isEqualTo(new Bounds(16_384, 65_536, 1 << 20, 16_384));
  }

  @Test
  void cancelsOfOneAreBounded() {
    for (int id = 1; id <= 8; id++) {
      assertThat(numbers.cancel(key(1, id))).isEqualTo(Fate.UNREAD);
    }
    assertThat(numbers.cancel(key(1, 9))).isEqualTo(Fate.NO_ROOM);
    assertThat(numbers.cancel(key(1, 8))).isEqualTo(Fate.UNREAD);
    assertThat(numbers.cancel(key(2, 9))).isEqualTo(Fate.UNREAD);
    // They were read, and dropped: there is room again.
    assertThat(numbers.read(engine(1), 5)).isFalse();
    assertThat(numbers.cancelled()).isEqualTo(4);
    assertThat(numbers.cancel(key(1, 9))).isEqualTo(Fate.UNREAD);
    assertThat(numbers.read(engine(1), 9)).isFalse();
    assertThat(numbers.read(engine(1), 10)).isTrue();
    assertThat(numbers.read(engine(1), 10)).isFalse();
  }

  @Test
  void cancelsOfStrangersAreBoundedInAll() {
    for (int stranger = 0; stranger < 1_000; stranger++) {
      Fate expected = stranger < 200 ? Fate.UNREAD : Fate.NO_ROOM;
      assertThat(numbers.cancel(key(stranger, 1))).isEqualTo(expected);
    }
    assertThat(numbers.cancelled()).isEqualTo(200);
    assertThat(numbers.senders()).isLessThanOrEqualTo(200 + 100);
  }

  /** However many of those must not be forgotten were heard of before all others. */
  @Test
  void strangersDoNotKeepOthersFromBeingForgotten() {
    for (int stranger = 0; stranger < 150; stranger++) {
      assertThat(numbers.cancel(key(stranger, 1))).isEqualTo(Fate.UNREAD);
    }
    for (int node = 1_000; node < 5_000; node++) {
      assertThat(numbers.read(engine(node), 1)).isTrue();
      assertThat(numbers.senders()).isLessThanOrEqualTo(150 + 100);
    }
    // What was cancelled is dropped yet, and the last ones are known.
    assertThat(numbers.read(engine(3), 1)).isFalse();
    assertThat(numbers.read(engine(4_999), 1)).isFalse();
    // Of those that were forgotten nobody can say any more that nothing of them was read.
    assertThat(numbers.cancel(key(1_000, 1))).isEqualTo(Fate.FORGOTTEN);
  }

  @Test
  void wordsAreForgottenInTheirOrder() {
    for (int id = 1; id <= 11; id++) {
      numbers.read(engine(1), id);
      numbers.say(key(1, id), word(key(1, id)));
    }
    assertThat(numbers.said(key(1, 1))).isNull();
    assertThat(numbers.said(key(1, 2))).isEqualTo(word(key(1, 2)));
    assertThat(numbers.cancel(key(1, 1))).isEqualTo(Fate.FORGOTTEN);
  }

  /** However much was forgotten of others: nothing of it can land. */
  @Test
  void aCancelBeforeTheFirstRequestOfANewNodeIsCertain() {
    for (int id = 1; id <= 100; id++) {
      numbers.read(engine(1), id);
      numbers.say(key(1, id), word(key(1, id)));
    }
    assertThat(numbers.cancel(key(2, 1))).isEqualTo(Fate.UNREAD);
    assertThat(numbers.read(engine(2), 1)).isFalse();
    assertThat(numbers.cancel(key(1, 1))).isEqualTo(Fate.FORGOTTEN);
  }

  /** They name engines of this process, too, whose numbers go when nobody has their ids. */
  @Test
  void idsOfOthersAreNotKept() {
    List<WeakReference<EngineId>> ids = new ArrayList<>();
    for (int id = 1; id <= 3; id++) {
      KnownNumbers.Key key = key(id, 1);
      ids.add(new WeakReference<>(key.decode()));
      numbers.cancel(key);
      numbers.read(key.decode(), id);
      numbers.say(key, word(key));
    }
    await()
        .atMost(TestNode.PATIENCE)
        .untilAsserted(() -> {
          System.gc();
          assertThat(ids).allMatch(id -> id.refersTo(null));
        });
    assertThat(numbers.said(key(3, 1))).isNotNull();
  }
}
