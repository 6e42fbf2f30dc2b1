package io.reactivetransfer.moe;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferRejectedException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Who the ranks of a group are, and what this rank was told of their memory. Only in turns. */
final class Ranks {

  /** What comes under the immediates of each lane. */
  static final int ROWS = 0;

  static final int TOKENS = 1;
  static final int RESULTS = 2;
  static final int IMMS_PER_LANE = 3;

  private final List<PeerAddress> addresses;
  private final @Nullable Peer[] peers;
  private final Map<EngineId, Integer> byId = new HashMap<>();
  private final @Nullable RemoteRegion[] regions;
  private final int[] firstImm;
  private final int own;
  private int joined = 1;

  /**
   * Nobody has joined yet but this rank.
   *
   * @throws IllegalArgumentException if this engine is none of them, or one is named twice
   */
  Ranks(TransferEngine engine, List<PeerAddress> addresses) {
    this.addresses = List.copyOf(addresses);
    peers = new Peer[addresses.size()];
    regions = new RemoteRegion[addresses.size()];
    firstImm = new int[addresses.size()];
    Arrays.fill(firstImm, MoeMessage.NOT_HEARD);
    for (int rank = 0; rank < peers.length; rank++) {
      PeerAddress address = addresses.get(rank);
      Integer other = byId.put(address.engine(), rank);
      if (other != null) {
        throw new IllegalArgumentException(
            "expected different engines, got " + address + " as ranks " + other + " and " + rank);
      }
      if (!address.engine().equals(engine.id())) {
        peers[rank] = engine.peer(address);
      }
    }
    Integer here = byId.get(engine.id());
    if (here == null) {
      throw new IllegalArgumentException(
          "expected the address of this engine among the ranks, got none of " + engine.address());
    }
    own = here;
  }

  int own() {
    return own;
  }

  int count() {
    return peers.length;
  }

  Peer peer(int rank) {
    return Objects.requireNonNull(peers[rank]);
  }

  /** For people. */
  String name(int rank) {
    return "rank " + rank + " (" + addresses.get(rank) + ")";
  }

  /** Which one it is, or -1. */
  int of(@Nullable EngineId id) {
    Integer rank = id == null ? null : byId.get(id);
    return rank == null ? -1 : rank;
  }

  /** Which one a failure is about, or -1. */
  int of(Throwable failure) {
    return failure instanceof TransferException e ? of(e.peer()) : -1;
  }

  /** All of them, for people. */
  @Override
  public String toString() {
    StringBuilder all = new StringBuilder();
    for (PeerAddress address : addresses) {
      if (all.length() > MoeMessage.MAX_TEXT_BYTES) {
        break; // nobody is told more
      }
      all.append(all.isEmpty() ? "" : ", ").append(address);
    }
    return all.substring(0, Math.min(all.length(), MoeMessage.MAX_TEXT_BYTES));
  }

  /** What says of two lists of ranks, almost certainly, whether they are the same. */
  long digest(long seed) {
    long digest = seed;
    for (PeerAddress address : addresses) {
      digest = Checks.mix(Checks.mix(digest, address.engine().high()), address.engine().low());
    }
    return digest;
  }

  boolean hasJoined(int rank) {
    return rank == own || regions[rank] != null;
  }

  boolean haveAllJoined() {
    return joined == peers.length;
  }

  /**
   * A rank has said where its memory is.
   *
   * @throws TransferRejectedException if it is not memory to write to
   */
  void joined(int rank, RemoteRegion region, int imm) {
    regions[rank] = region;
    firstImm[rank] = imm;
    joined++;
  }

  /** The first of its immediates, or {@link MoeMessage#NOT_HEARD}. */
  int firstImm(int rank) {
    return firstImm[rank];
  }

  RemoteSlice slice(int rank, long offset, long length) {
    return Objects.requireNonNull(regions[rank]).slice(offset, length);
  }

  /** One to a rank under one of its immediates, aimed at nothing yet. */
  AimedWrite write(MemoryRegion source, int rank, int lane, int what) {
    return AimedWrite.between(source, Objects.requireNonNull(regions[rank]), imm(rank, lane, what));
  }

  Imm imm(int rank, int lane, int what) {
    return Imm.of(firstImm[rank] + lane * IMMS_PER_LANE + what);
  }
}
