package io.reactivetransfer.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Layouts of others take up bounded memory, and those that are used are kept. */
class KnownMappingsTest {

  private final KnownMappings known = new KnownMappings();

  /** To a layout with pages of that length. */
  private static KvMapping mapping(int layers, int pages) {
    return KvMapping.between(KvLayout.opaque(layers, 1, 8), KvLayout.opaque(layers, pages, 8));
  }

  @Test
  void thoseThatWereUsedLastAreKept() {
    KvMapping first = mapping(2, 1);
    known.add(first);
    for (int pages = 2; pages <= 100; pages++) {
      known.add(mapping(2, pages));
      assertThat(known.of(first.target())).isSameAs(first);
    }
    assertThat(known.size()).isEqualTo(64);
    assertThat(known.of(mapping(2, 2).target())).isNull();
    assertThat(known.of(mapping(2, 100).target())).isNotNull();
  }

  @Test
  void longOnesAreFew() {
    for (int pages = 1; pages <= 8; pages++) {
      known.add(mapping(40_000, pages));
    }
    assertThat(known.size()).isEqualTo(3);
    known.add(mapping(2, 1));
    assertThat(known.size()).isEqualTo(4);
  }

  @Test
  void theSameOneIsKeptOnce() {
    known.add(mapping(40_000, 1));
    known.add(mapping(40_000, 1));
    known.add(mapping(40_000, 2));
    known.add(mapping(40_000, 3));
    assertThat(known.size()).isEqualTo(3);
  }
}
