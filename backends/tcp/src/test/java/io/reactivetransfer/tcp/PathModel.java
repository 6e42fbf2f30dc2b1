package io.reactivetransfer.tcp;

/**
 * Between one NIC and one of another engine: on which connection a NIC must write, told by
 * docs/wire-format.md.
 */
final class PathModel {

  private final boolean prefersDialled;
  private LinkModel dialled;
  private LinkModel accepted;

  /** What it has written on last. */
  private boolean wasOurs;

  private LinkModel last;

  PathModel(boolean prefersDialled) {
    this.prefersDialled = prefersDialled;
  }

  /** It is open; the one whose place it takes, or null. */
  LinkModel began(LinkModel link) {
    if (link.isDialled()) {
      dialled = link;
      return null;
    }
    LinkModel replaced = accepted;
    accepted = link;
    return replaced;
  }

  void ended(LinkModel link) {
    dialled = dialled == link ? null : dialled;
    accepted = accepted == link ? null : accepted;
  }

  /** The one that is to be written on next. */
  LinkModel next() {
    if (last == null || last.isEnded() || last.inFlight() == 0) {
      last = accepted == null || dialled != null && prefersDialled ? dialled : accepted;
    }
    return last;
  }

  /** Whether the engine is told that the way is lost. */
  boolean isLostWith(LinkModel link, boolean isOurs) {
    wasOurs |= isOurs;
    boolean hasOther = accepted != null && accepted != link || dialled != null && dialled != link;
    boolean lost = link.inFlight() > 0 || wasOurs && !hasOther;
    wasOurs &= !lost;
    return lost;
  }
}
