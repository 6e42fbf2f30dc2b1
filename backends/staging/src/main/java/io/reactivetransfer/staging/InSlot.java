package io.reactivetransfer.staging;

import io.reactivetransfer.Access;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.LocalMemory;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A buffer that one peer may write, one piece at a time. */
final class InSlot {

  /** Where it stands. */
  enum State {
    /** The peer may write it. */
    FREE,
    /** An accelerator takes what came. */
    STORING,
    /** The peer is to be told that it was taken. */
    TAKEN,
    /** It is used no more. */
    RETIRED
  }

  private final InWindow window;
  private final int index;
  private final Pinned pinned;
  private final CompletableFuture<LocalMemory> registration;
  private final int imm;

  State state = State.FREE;

  /** How many pieces came. */
  long number;

  /** Where the piece goes. */
  @Nullable StagedMemory target;

  boolean hasImm;
  int pieceImm;

  /** How long the write is whose immediate came, with its pieces before this one. */
  long writeBytes;

  /** In which turn its copy was begun. */
  long turn;

  /** Why the copy has failed, if it is known. */
  @Nullable BackendException failure;

  InSlot(Nics nics, InWindow window, int index, Pinned pinned) {
    this.window = window;
    this.index = index;
    this.pinned = pinned;
    this.registration = pinned.atSecond(nics, Access.REMOTE_WRITE);
    this.imm = nics.immediates().add(this);
  }

  InWindow window() {
    return window;
  }

  int index() {
    return index;
  }

  Pinned pinned() {
    return pinned;
  }

  /** Registered, or not so far. */
  CompletableFuture<LocalMemory> registration() {
    return registration;
  }

  /** Tells that a piece is there. */
  int imm() {
    return imm;
  }

  byte[] key() {
    return registration.join().key();
  }

  /** Waits for its copy, and has its target remember if nobody knows its end; why it has failed. */
  @Nullable BackendException await() {
    BackendException late = pinned.await();
    failure = failure == null ? late : failure;
    if (late != null && target != null && !pinned.isOver()) {
      target.doubt(late);
    }
    return failure;
  }
}
