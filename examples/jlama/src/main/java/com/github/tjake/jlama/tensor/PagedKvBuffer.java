package com.github.tjake.jlama.tensor;

import java.util.UUID;
import org.jspecify.annotations.NullMarked;

/**
 * Keys and values that lie where somebody else wants them. Jlama reads and writes them through a
 * {@code KvBuffer} and makes those itself: the constructor is for its own package, so this class is
 * in that package. What it needs of Jlama is that constructor and the four methods below.
 */
@NullMarked
@SuppressWarnings("rawtypes") // Jlama's own signatures
public final class PagedKvBuffer extends KvBufferCache.KvBuffer {

  /** For Jlama's computation of its own pages, none of which is ever made. */
  private static final int UNUSED_PAGE_BYTES = 1 << 23;

  /** Keys are this part of a layer, values are {@link #VALUES}. */
  public static final int KEYS = 0;

  /** See {@link #KEYS}. */
  public static final int VALUES = 1;

  /** Where they lie. */
  public interface Pages {

    /** How many tokens a page has, the same in all of them. */
    int pageTokens();

    /**
     * A page as a tensor, a row for each of its tokens.
     *
     * @param layer of the model
     * @param part {@link #KEYS} or {@link #VALUES}
     * @param position of the page in the sequence, from 0 on
     */
    AbstractTensor page(int layer, int part, int position);
  }

  private final Pages pages;

  /** For one sequence. */
  public PagedKvBuffer(KvBufferCache cache, Pages pages) {
    cache.super(new UUID(0, 0), UNUSED_PAGE_BYTES, true);
    this.pages = pages;
  }

  @Override
  public AbstractTensor getKeyTensorForPosition(int layer, int position) {
    return row(layer, KEYS, position);
  }

  @Override
  public AbstractTensor getValTensorForPosition(int layer, int position) {
    return row(layer, VALUES, position);
  }

  @Override
  public AbstractTensor[] getKeyTensorsUptoPosition(int layer, int upTo) {
    return pagesUpTo(layer, KEYS, upTo);
  }

  @Override
  public AbstractTensor[] getValTensorsUptoPosition(int layer, int upTo) {
    return pagesUpTo(layer, VALUES, upTo);
  }

  private AbstractTensor row(int layer, int part, int token) {
    int tokens = pages.pageTokens();
    return pages.page(layer, part, token / tokens).slice(true, token % tokens);
  }

  private AbstractTensor[] pagesUpTo(int layer, int part, int token) {
    AbstractTensor[] all = new AbstractTensor[token / pages.pageTokens() + 1];
    for (int i = 0; i < all.length; i++) {
      all[i] = pages.page(layer, part, i);
    }
    return all;
  }
}
