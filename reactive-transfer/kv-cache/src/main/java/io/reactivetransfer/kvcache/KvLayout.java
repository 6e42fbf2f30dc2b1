package io.reactivetransfer.kvcache;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a KV cache lies in memory, as data: which layers of the model, which parts of each, pages of
 * how many tokens, and where each part of each layer has its pages. A page index stands for one
 * page of each part in each layer. Immutable; two that are equal lie alike.
 */
public final class KvLayout {

  /** The most places that a layout has: parts times layers. */
  public static final int MAX_PLACES = 1 << 16;

  /** A layout may be a peer's, with thousands of parts, and its text stands in errors and logs. */
  private static final int SHOWN_PARTS = 8;

  private final int firstLayer;
  private final int layers;
  private final int pages;
  private final int pageTokens;
  private final List<KvPart> parts;

  /** Layer after layer, in each of them part after part. */
  private final List<KvPlace> places;

  /** Of each region. */
  private final long[] bytes;

  private KvLayout(Builder builder) {
    firstLayer = builder.firstLayer;
    layers = builder.layers;
    pages = builder.pages;
    pageTokens = builder.pageTokens;
    parts = List.copyOf(builder.parts);
    requireNumbers();
    requireNames();
    Builder.Places from = builder.places == null ? new Contiguous(this) : builder.places;
    List<KvPlace> found = new ArrayList<>(layers * parts.size());
    for (int layer = firstLayer; layer < endLayer(); layer++) {
      for (int part = 0; part < parts.size(); part++) {
        found.add(Objects.requireNonNull(from.of(layer, part), "place"));
      }
    }
    places = List.copyOf(found);
    KvExtents extents = new KvExtents(this);
    bytes = extents.ofRegions();
    extents.requireApart();
  }

  /**
   * All in one region without gaps: layer after layer from 0 on, in each of them part after part,
   * in each of these page after page.
   *
   * @throws IllegalArgumentException if there is no such layout
   */
  public static KvLayout contiguous(int layers, int pages, int pageTokens, KvPart... parts) {
    Builder builder = builder().layers(layers).pages(pages).pageTokens(pageTokens);
    Arrays.asList(parts).forEach(builder::part);
    return builder.build();
  }

  /**
   * Pages of which nothing is known but their length, all in one region without gaps: one part
   * {@code "kv"}, and pages of one token. What is called a token elsewhere is a page then.
   *
   * @throws IllegalArgumentException if there is no such layout
   */
  public static KvLayout opaque(int layers, int pages, long pageBytes) {
    if (pageBytes < 1 || pageBytes > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "expected pages of 1 to " + Integer.MAX_VALUE + " bytes, got " + pageBytes);
    }
    return contiguous(layers, pages, 1, KvPart.whole("kv", (int) pageBytes));
  }

  /** One that is put together step by step. */
  public static Builder builder() {
    return new Builder();
  }

  /** The model's number of the first layer. */
  public int firstLayer() {
    return firstLayer;
  }

  /** How many layers. */
  public int layers() {
    return layers;
  }

  /** The model's number behind that of the last layer. */
  public int endLayer() {
    return firstLayer + layers;
  }

  /** Whether it has the layer that has this number in the model. */
  public boolean hasLayer(int layer) {
    return layer >= firstLayer && layer < endLayer();
  }

  /** How many tokens a page holds. */
  public int pageTokens() {
    return pageTokens;
  }

  /**
   * How many pages there are; their indices are 0 to {@code pages() - 1}, in each layer the same.
   */
  public int pages() {
    return pages;
  }

  /** What each token has in each layer. */
  public List<KvPart> parts() {
    return parts;
  }

  /**
   * Where the pages of one part of one layer lie.
   *
   * @param layer the model's number, {@code firstLayer()} to {@code endLayer() - 1}
   * @param part position in {@link #parts()}
   * @throws IndexOutOfBoundsException if there is no such layer or part
   */
  public KvPlace place(int layer, int part) {
    if (!hasLayer(layer)) {
      throw outside("layer", firstLayer, endLayer(), layer);
    }
    if (part < 0 || part >= parts.size()) {
      throw outside("part", 0, parts.size(), part);
    }
    return places.get((layer - firstLayer) * parts.size() + part);
  }

  /**
   * Where one page begins in its region.
   *
   * @throws IndexOutOfBoundsException if there is no such layer, part or page
   */
  public long offset(int layer, int part, int page) {
    KvPlace place = place(layer, part);
    if (page < 0 || page >= pages) {
      throw outside("page", 0, pages, page);
    }
    return place.offset() + page * place.pageStride();
  }

  /** How many regions it lies in, numbered from 0 on. */
  public int regions() {
    return bytes.length;
  }

  /**
   * How long a region must be.
   *
   * @throws IndexOutOfBoundsException if there is no such region
   */
  public long bytes(int region) {
    if (region < 0 || region >= bytes.length) {
      throw outside("region", 0, bytes.length, region);
    }
    return bytes[region];
  }

  /**
   * Bytes of these tokens: all heads of all parts in all layers, without what lies between them.
   */
  long bytes(KvSpan span) {
    long token = 0;
    for (KvPart part : parts) {
      token += (long) part.heads() * part.headBytes();
    }
    return token * layers * span.tokens();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KvLayout that
        && firstLayer == that.firstLayer
        && layers == that.layers
        && pages == that.pages
        && pageTokens == that.pageTokens
        && parts.equals(that.parts)
        && places.equals(that.places);
  }

  @Override
  public int hashCode() {
    return Objects.hash(firstLayer, layers, pages, pageTokens, parts, places);
  }

  /** The numbers and the first parts; no places. */
  @Override
  public String toString() {
    return "layers "
        + firstLayer
        + " to "
        + (endLayer() - 1)
        + ", "
        + pages
        + " pages of "
        + pageTokens
        + " tokens, parts "
        + shown(parts);
  }

  /** The first of them: there may be thousands, and a peer decides how many. */
  private static String shown(List<?> some) {
    return some.subList(0, Math.min(some.size(), SHOWN_PARTS))
        + (some.size() > SHOWN_PARTS ? " and " + (some.size() - SHOWN_PARTS) + " more" : "");
  }

  private void requireNumbers() {
    requirePositive("layers", layers);
    requirePositive("pages", pages);
    requirePositive("tokens in a page", pageTokens);
    requirePositive("parts", parts.size());
    if (firstLayer < 0 || firstLayer > Integer.MAX_VALUE - layers) {
      throw new IllegalArgumentException(
          "expected layers from 0 to 2^31, got " + layers + " from " + firstLayer + " on");
    }
    if ((long) layers * parts.size() > MAX_PLACES) {
      throw new IllegalArgumentException(
          "expected at most "
              + MAX_PLACES
              + " places, got "
              + layers
              + " layers of "
              + parts.size()
              + " parts");
    }
  }

  private void requireNames() {
    if (parts.stream().map(KvPart::name).distinct().count() < parts.size()) {
      throw new IllegalArgumentException(
          "expected parts of different names, got "
              + shown(parts.stream().map(KvPart::name).toList()));
    }
  }

  private static void requirePositive(String what, long value) {
    if (value < 1) {
      throw new IllegalArgumentException("expected 1 or more " + what + ", got " + value);
    }
  }

  private static IndexOutOfBoundsException outside(String what, int from, int end, int got) {
    return new IndexOutOfBoundsException(
        "expected a " + what + " of " + from + " to " + (end - 1) + ", got " + got);
  }

  /** Puts a layout together. Only the first layer and the places may be left out. */
  public static final class Builder {

    /** Says where the pages of one part of one layer lie. */
    @FunctionalInterface
    public interface Places {

      /**
       * The place.
       *
       * @param layer the model's number of the layer
       * @param part position of the part
       */
      KvPlace of(int layer, int part);
    }

    private int firstLayer;
    private int layers;
    private int pages;
    private int pageTokens;
    private final List<KvPart> parts = new ArrayList<>();
    private @Nullable Places places;

    private Builder() {}

    /** The model's number of the first layer; 0 unless it is given. */
    public Builder firstLayer(int firstLayer) {
      this.firstLayer = firstLayer;
      return this;
    }

    /** How many layers, at least 1. */
    public Builder layers(int layers) {
      this.layers = layers;
      return this;
    }

    /** How many pages, at least 1. */
    public Builder pages(int pages) {
      this.pages = pages;
      return this;
    }

    /** How many tokens a page holds, at least 1. */
    public Builder pageTokens(int pageTokens) {
      this.pageTokens = pageTokens;
      return this;
    }

    /** One more part. */
    public Builder part(KvPart part) {
      parts.add(Objects.requireNonNull(part, "part"));
      return this;
    }

    /**
     * Where all of it lies; asked once for each part of each layer when it is built. Unless it is
     * given all lies in one region, as in {@link #contiguous}.
     */
    public Builder places(Places places) {
      this.places = Objects.requireNonNull(places, "places");
      return this;
    }

    /**
     * The layout.
     *
     * @throws IllegalArgumentException if rows or pages would overlap, or something cannot be
     *     addressed; the text says what
     */
    public KvLayout build() {
      return new KvLayout(this);
    }
  }

  /** Places that follow each other without gaps; asked in order. */
  private static final class Contiguous implements Builder.Places {

    private final KvLayout layout;
    private long next;

    Contiguous(KvLayout layout) {
      this.layout = layout;
    }

    @Override
    public KvPlace of(int layer, int part) {
      long stride = layout.parts.get(part).pageBytes(layout.pageTokens);
      KvPlace place = new KvPlace(0, next, stride);
      next = KvExtents.end(next, layout.pages, stride, 0);
      return place;
    }
  }
}
