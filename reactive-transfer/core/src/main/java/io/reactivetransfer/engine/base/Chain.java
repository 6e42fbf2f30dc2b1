package io.reactivetransfer.engine.base;

import org.jspecify.annotations.Nullable;

/**
 * A list whose members bring their own places: adding and removing cost the same however long it
 * is, and allocate nothing. Whoever walks along it may remove the member that he is at.
 */
public final class Chain<T> {

  /** The place of one member, in one chain at a time. */
  public static final class Link<T> {
    private final T member;
    private @Nullable Chain<T> chain;
    private @Nullable Link<T> previous;
    private @Nullable Link<T> next;

    public Link(T member) {
      this.member = member;
    }

    public T member() {
      return member;
    }

    public @Nullable Link<T> next() {
      return next;
    }

    /** Whether it stands in a chain. */
    public boolean isPlaced() {
      return chain != null;
    }

    @Nullable Link<T> previous() {
      return previous;
    }
  }

  private @Nullable Link<T> first;
  private @Nullable Link<T> last;
  private int size;

  /** How many stand in it. */
  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return first == null;
  }

  public @Nullable Link<T> first() {
    return first;
  }

  /** Adds it at the end. */
  public void add(Link<T> link) {
    if (link.chain != null) {
      throw new IllegalStateException("expected what is in no chain, got " + link.member);
    }
    size++;
    link.chain = this;
    link.previous = last;
    if (last == null) {
      first = link;
    } else {
      last.next = link;
    }
    last = link;
  }

  /** Removes it, if it is in here; says whether it was. */
  @SuppressWarnings("ReferenceEquality")
  public // the very same chain
  boolean remove(Link<T> link) {
    if (link.chain != this) {
      return false;
    }
    size--;
    Link<T> before = link.previous;
    Link<T> after = link.next;
    if (before == null) {
      first = after;
    } else {
      before.next = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.previous = before;
    }
    link.chain = null;
    link.previous = null;
    link.next = null;
    return true;
  }
}
