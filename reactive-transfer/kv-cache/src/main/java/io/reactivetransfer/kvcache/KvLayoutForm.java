package io.reactivetransfer.kvcache;

import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/** The bytes of a layout within a message. */
final class KvLayoutForm {

  /** Of the shortest part: one byte of a name and its length, three numbers and two strides. */
  private static final int PART_BYTES = 1 + 1 + 3 * Integer.BYTES + 2 * Long.BYTES;

  private static final int PLACE_BYTES = Integer.BYTES + 2 * Long.BYTES;

  private KvLayoutForm() {}

  static void write(KvLayout layout, KvWriter out) {
    out.i32(layout.firstLayer()).i32(layout.layers());
    out.i32(layout.pages()).i32(layout.pageTokens()).i32(layout.parts().size());
    for (KvPart part : layout.parts()) {
      out.name(part.name()).i32(part.firstHead()).i32(part.heads()).i32(part.headBytes());
      out.i64(part.tokenStride()).i64(part.headStride());
    }
    for (int layer = layout.firstLayer(); layer < layout.endLayer(); layer++) {
      for (int part = 0; part < layout.parts().size(); part++) {
        KvPlace place = layout.place(layer, part);
        out.i32(place.region()).i64(place.offset()).i64(place.pageStride());
      }
    }
  }

  /** Of the bytes of the source's layout, and of the target's behind them. */
  static int checksum(KvLayout source, KvLayout target) {
    CRC32C checksum = new CRC32C();
    new KvWriter(0, 0).layout(source).addTo(checksum);
    new KvWriter(0, 0).layout(target).addTo(checksum);
    return (int) checksum.getValue();
  }

  static KvLayout read(KvReader in) {
    int firstLayer = in.i32("first layer", 0, Integer.MAX_VALUE);
    int layers = in.i32("layers", 1, KvLayout.MAX_PLACES);
    int pages = in.i32("pages of the layout", 1, Integer.MAX_VALUE);
    int pageTokens = in.i32("tokens in a page", 1, Integer.MAX_VALUE);
    int count = in.count("parts", 1, PART_BYTES);
    KvLayout.Builder layout =
        KvLayout.builder()
            .firstLayer(firstLayer)
            .layers(layers)
            .pages(pages)
            .pageTokens(pageTokens);
    for (int i = 0; i < count; i++) {
      layout.part(part(in));
    }
    in.requireRoom("places", (long) layers * count, PLACE_BYTES);
    List<KvPlace> places = new ArrayList<>(layers * count);
    for (int i = 0; i < layers * count; i++) {
      places.add(place(in));
    }
    // A layer that cannot be is refused before its place is asked for.
    layout.places((layer, part) -> places.get((layer - firstLayer) * count + part));
    return in.checked(layout::build);
  }

  private static KvPart part(KvReader in) {
    String name = in.name("part");
    int firstHead = in.i32("first head", 0, Integer.MAX_VALUE);
    int heads = in.i32("heads", 1, Integer.MAX_VALUE);
    int headBytes = in.i32("bytes in a head", 1, Integer.MAX_VALUE);
    long tokenStride = in.i64("token stride", 1);
    long headStride = in.i64("head stride", 1);
    return in.checked(() -> new KvPart(name, firstHead, heads, headBytes, tokenStride, headStride));
  }

  private static KvPlace place(KvReader in) {
    int region = in.i32("region", 0, Integer.MAX_VALUE);
    long offset = in.i64("offset", 0);
    long pageStride = in.i64("page stride", 1);
    return in.checked(() -> new KvPlace(region, offset, pageStride));
  }
}
