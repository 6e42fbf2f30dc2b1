package io.reactivetransfer.tcp;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.Failure;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Something that the next poll reports, or settles with the origin. The two that come for every
 * write are used again and again; see {@link EventQueue#recycle}.
 */
sealed interface Event {

  /** A write of ours is done. */
  final class Written implements Event {
    long token;
  }

  /** A write of ours has failed. */
  record Failed(long token, Failure failure, boolean refused) implements Event {}

  /** A write of another engine is in {@code memory}, without an immediate or with one. */
  final class Landed implements Event {
    @Nullable Link link;
    @Nullable TcpMemory memory;

    /** The first of the buffers from which it is being stored there, if that is not done. */
    @Nullable Staged staged;

    boolean hasImm;
    int imm;

    /** How long it is, in all its rows. */
    long bytes;
  }

  /** A write of another engine did not come in. */
  record Refused(Link link, Failure failure) implements Event {}

  /** What a peer that was given up had sent was reported. */
  record Fenced(CompletableFuture<Void> fence) implements Event {}

  /** A peer was lost. */
  record Lost(EngineId peer, Failure failure) implements Event {}
}
