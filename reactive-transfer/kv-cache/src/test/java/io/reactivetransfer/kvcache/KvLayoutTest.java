package io.reactivetransfer.kvcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KvLayoutTest {

  private static final KvPart LATENT = KvPart.whole("latent", 8);

  private static KvLayout.Builder builder(KvPart... parts) {
    KvLayout.Builder builder = KvLayout.builder().layers(2).pages(3).pageTokens(4);
    for (KvPart part : parts) {
      builder.part(part);
    }
    return builder;
  }

  @Test
  void contiguousPagesTileTheRegionWithoutGapOrOverlap() {
    KvLayout layout =
        KvLayout.contiguous(
            5, 7, 4, KvPart.tokenMajor("k", 0, 2, 12), KvPart.headMajor("v", 0, 2, 12, 4));
    Set<Long> offsets = new HashSet<>();
    for (int layer = 0; layer < layout.layers(); layer++) {
      for (int page = 0; page < layout.pages(); page++) {
        offsets.add(layout.offset(layer, 0, page));
        offsets.add(layout.offset(layer, 1, page));
      }
    }
    assertThat(offsets).hasSize(70).allMatch(offset -> offset % 96 == 0).contains(0L, 69 * 96L);
    assertThat(layout.regions()).isEqualTo(1);
    assertThat(layout.bytes(0)).isEqualTo(70 * 96);
  }

  @Test
  void opaquePagesAreTokens() {
    KvLayout layout = KvLayout.opaque(61, 1 << 20, 32 * 1024);
    assertThat(layout.pageTokens()).isEqualTo(1);
    assertThat(layout.parts()).containsExactly(KvPart.whole("kv", 32 * 1024));
    assertThat(layout.bytes(0)).isEqualTo(61L << 35);
    assertThat(layout.offset(60, 0, (1 << 20) - 1)).isEqualTo(layout.bytes(0) - 32 * 1024);
    assertThatThrownBy(() -> KvLayout.opaque(1, 1, 1L << 31))
        .hasMessage("expected pages of 1 to 2147483647 bytes, got 2147483648");
    assertThatThrownBy(() -> KvLayout.opaque(1, 1, 0))
        .hasMessage("expected pages of 1 to 2147483647 bytes, got 0");
  }

  @Test
  void layersKeepTheModelsNumbers() {
    KvLayout layout = builder(LATENT).firstLayer(30).build();
    assertThat(layout.hasLayer(29)).isFalse();
    assertThat(layout.hasLayer(30)).isTrue();
    assertThat(layout.hasLayer(31)).isTrue();
    assertThat(layout.hasLayer(32)).isFalse();
    assertThat(layout.place(30, 0)).isEqualTo(new KvPlace(0, 0, 32));
    assertThat(layout.place(31, 0)).isEqualTo(new KvPlace(0, 96, 32));
    assertThatThrownBy(() -> layout.place(29, 0))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessage("expected a layer of 30 to 31, got 29");
    assertThatThrownBy(() -> layout.place(30, 1)).hasMessage("expected a part of 0 to 0, got 1");
    assertThatThrownBy(() -> layout.offset(30, 0, 3))
        .hasMessage("expected a page of 0 to 2, got 3");
    assertThatThrownBy(() -> layout.bytes(1)).hasMessage("expected a region of 0 to 0, got 1");
  }

  @Test
  void layoutsThatLieAlikeAreEqual() {
    KvLayout one = builder(LATENT).build();
    KvLayout same =
        builder(LATENT).places((layer, part) -> new KvPlace(0, layer * 96L, 32)).build();
    KvLayout other =
        builder(LATENT).places((layer, part) -> new KvPlace(0, layer * 97L, 32)).build();
    assertThat(one).isEqualTo(same).hasSameHashCodeAs(same).isNotEqualTo(other).isNotEqualTo("x");
    assertThat(one)
        .hasToString(
            "layers 0 to 1, 3 pages of 4 tokens, parts [KvPart[name=latent, firstHead=0, heads=1,"
                + " headBytes=8, tokenStride=8, headStride=8]]");
  }

  @Test
  void severalRegionsAreAsLongAsTheirPlacesNeed() {
    KvLayout layout =
        builder(LATENT).places((layer, part) -> new KvPlace(layer, 5 * layer, 40)).build();
    assertThat(layout.regions()).isEqualTo(2);
    assertThat(layout.bytes(0)).isEqualTo(2 * 40 + 32);
    assertThat(layout.bytes(1)).isEqualTo(5 + 2 * 40 + 32);
  }

  @ParameterizedTest
  @CsvSource({
    "0,1,1,0,1 or more layers",
    "1,0,1,0,1 or more pages",
    "1,1,0,0,1 or more tokens in a page",
    "-1,1,1,0,1 or more layers",
    "1,1,1,-1,layers from 0 to 2^31",
    "2,1,1,2147483647,layers from 0 to 2^31",
    "65537,1,1,0,at most 65536 places"
  })
  void refusesNumbersThatCannotBe(int layers, int pages, int tokens, int first, String expected) {
    KvLayout.Builder builder =
        KvLayout.builder()
            .firstLayer(first)
            .layers(layers)
            .pages(pages)
            .pageTokens(tokens)
            .part(LATENT);
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("expected " + expected + ", got ");
  }

  /** A peer decides how many there are, and what it says ends in errors and logs. */
  @Test
  void whatIsSaidOfManyPartsIsShort() {
    KvLayout.Builder many = builder().layers(1);
    for (int i = 0; i < 19_000; i++) {
      many.part(KvPart.whole("part " + i, 8));
    }
    assertThat(many.build().toString()).endsWith(" and 18992 more").hasSizeLessThan(2_000);
    many.part(KvPart.whole("part 0", 8));
    assertThatThrownBy(many::build)
        .hasMessageStartingWith("expected parts of different names, got [part 0, part 1, ")
        .hasMessageEndingWith(" and 18993 more");
  }

  @Test
  void refusesNoPartsAndPartsOfTheSameName() {
    assertThatThrownBy(builder()::build).hasMessage("expected 1 or more parts, got 0");
    assertThatThrownBy(builder(LATENT, LATENT)::build)
        .hasMessage("expected parts of different names, got [latent, latent]");
  }

  @Test
  void refusesWhatCannotBeAddressed() {
    assertThatThrownBy(() -> KvLayout.contiguous(60_000, Integer.MAX_VALUE, 1 << 20, LATENT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("expected a layout of less than 2^63 bytes");
    KvPart part = new KvPart("k", 0, 2, 8, Long.MAX_VALUE / 2, 8);
    assertThatThrownBy(builder(part)::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("expected pages of less than 2^63 bytes, got 4 tokens of KvPart[");
    assertThatThrownBy(
            builder(LATENT).places((layer, at) -> new KvPlace(0, 0, Long.MAX_VALUE))::build)
        .hasMessageStartingWith("expected a layout of less than 2^63 bytes");
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 5, Integer.MAX_VALUE})
  void refusesRegionsWithGaps(int region) {
    assertThatThrownBy(
            builder(LATENT).places((layer, at) -> new KvPlace(layer * region, 0, 64))::build)
        .satisfies(thrown -> assertThat(thrown).isInstanceOf(IllegalArgumentException.class))
        .hasMessageStartingWith("expected regions that are numbered from 0 on without gaps");
  }

  @Test
  void refusesRowsThatOverlapWithinAPage() {
    KvPart tokens = new KvPart("k", 0, 2, 8, 15, 8);
    assertThatThrownBy(builder(tokens)::build)
        .hasMessageStartingWith("expected rows that do not overlap within a page of 4 tokens, got");
    KvPart heads = new KvPart("k", 0, 2, 8, 8, 31);
    assertThatThrownBy(builder(heads)::build)
        .hasMessageStartingWith("expected rows that do not overlap within a page of 4 tokens, got");
    assertThatCode(builder(new KvPart("k", 0, 2, 8, 16, 8))::build).doesNotThrowAnyException();
    assertThatCode(builder(new KvPart("k", 0, 2, 8, 8, 32))::build).doesNotThrowAnyException();
    assertThatCode(builder(new KvPart("k", 0, 2, 8, 8, 8)).pageTokens(1)::build)
        .doesNotThrowAnyException();
  }

  @Test
  void refusesPagesThatOverlap() {
    assertThatThrownBy(builder(LATENT).places((layer, at) -> new KvPlace(0, 0, 31))::build)
        .hasMessage(
            "expected pages that do not overlap (a stride of at least their 32 bytes) for part"
                + " latent, got a stride of 31");
  }

  @ParameterizedTest
  @CsvSource({
    "0,96,32,true", // one behind the other
    "0,95,32,false",
    "0,32,64,true", // pages that take turns
    "0,31,64,false",
    "32,0,64,true",
    "100,164,64,false", // the second one's pages are the first one's, one later
    "0,1000,32,true"
  })
  void placesLieApartOrTakeTurns(long one, long other, long stride, boolean apart) {
    KvLayout.Builder builder =
        builder(LATENT).places((layer, part) -> new KvPlace(0, layer == 0 ? one : other, stride));
    if (apart) {
      assertThatCode(builder::build).doesNotThrowAnyException();
    } else {
      assertThatThrownBy(builder::build)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith(
              "expected places that lie apart, or take turns at equal strides, got part latent of"
                  + " layer ")
          .hasMessageEndingWith(", which meet in region 0");
    }
  }

  @ParameterizedTest
  @CsvSource({"8,true", "7,false", "9,false", "0,false"})
  void tokensOfTwoPartsMayTakeTurns(long second, boolean apart) {
    KvLayout.Builder builder =
        builder(new KvPart("k", 0, 2, 4, 16, 4), new KvPart("v", 0, 2, 4, 16, 4))
            .places((layer, part) -> new KvPlace(0, layer * 192 + part * second, 64));
    if (apart) {
      assertThat(builder.build().bytes(0)).isEqualTo(2 * 192);
    } else {
      assertThatThrownBy(builder::build).hasMessageContaining("which meet in region 0");
    }
  }

  @Test
  void aLayoutOfVeryManyPlacesIsCheckedSoon() {
    KvPart part = new KvPart("k", 0, 2, 8, 1 << 20, 1 << 10);
    long stride = 4L << 20;
    KvLayout layout =
        KvLayout.builder()
            .layers(1 << 7)
            .pages(1 << 20)
            .pageTokens(4)
            .part(part)
            .places((layer, at) -> new KvPlace(0, layer * 8L, stride))
            .build();
    assertThat(layout.bytes(0)).isGreaterThan(1L << 40);
  }

  @Test
  void partsSayWhatIsWrong() {
    assertThatThrownBy(() -> KvPart.whole("", 1))
        .hasMessage("expected 1 to 255 bytes of UTF-8 as the name of a part, got 0");
    assertThatThrownBy(() -> KvPart.whole("\u00fc".repeat(128), 1))
        .hasMessage("expected 1 to 255 bytes of UTF-8 as the name of a part, got 256");
    assertThatThrownBy(() -> KvPart.whole("a\n", 1))
        .hasMessage(
            "expected characters that can be shown in the name of a part, got U+000A at position"
                + " 1");
    assertThatThrownBy(() -> KvPart.whole("\ud800", 1))
        .hasMessage("expected the name of a part to be text, got half of a character in it");
    assertThatThrownBy(() -> KvPart.whole("k", 0))
        .hasMessage("expected 1 or more bytes in a head of part k, got 0");
    assertThatThrownBy(() -> KvPart.tokenMajor("k", -1, 1, 1))
        .hasMessageStartingWith("expected a first head of 0 or more");
    assertThatThrownBy(() -> KvPart.tokenMajor("k", Integer.MAX_VALUE, 1, 1))
        .hasMessageStartingWith("expected a first head of 0 or more");
    assertThatThrownBy(() -> new KvPart("k", 0, 1, 8, 7, 8))
        .hasMessage("expected a token stride of at least the 8 bytes of a head in part k, got 7");
    assertThatThrownBy(() -> new KvPart("k", 0, 1, 8, 8, 7))
        .hasMessage("expected a head stride of at least the 8 bytes of a head in part k, got 7");
    assertThatThrownBy(() -> new KvPlace(0, -1, 1)).hasMessageContaining("got region 0, offset -1");
    assertThatThrownBy(() -> new KvSpan(0, -1)).hasMessageContaining("got -1 tokens from 0 on");
  }
}
