package io.reactivetransfer.staging;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.RemotePeer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A NIC of another engine, from when it is resolved until it is released. */
final class StagedPeer {

  private final RemotePeer main;
  private final EngineId engine;
  private final int nic;
  private @Nullable RemotePeer second;
  private byte[] secondAddress = {};

  /** Own writes to it, the oldest first. */
  final List<StagedWrite> writes = new ArrayList<>();

  /** Pieces whose bytes are brought, the oldest first. */
  final ArrayDeque<Lane> fetching = new ArrayDeque<>();

  /** Pieces that a NIC has. */
  final List<Lane> posted = new ArrayList<>();

  /** What it has granted, or was asked for. */
  @Nullable OutWindow outWindow;

  /** Whether one of its writes was refused for want of room. */
  boolean wasRefused;

  /** Whether the NIC had no room for the last piece to it. */
  boolean isBusy;

  /** When it last took a piece, or had none to take. */
  long progressNanos;

  /** What it was granted. */
  @Nullable InWindow inWindow;

  /** Acknowledgements that the second NIC has. */
  int notesOut;

  StagedPeer(RemotePeer main, EngineId engine, int nic) {
    this.main = main;
    this.engine = engine;
    this.nic = nic;
  }

  RemotePeer main() {
    return main;
  }

  EngineId engine() {
    return engine;
  }

  /** Pieces of own writes that are on their way, or are about to be. */
  int pieces() {
    return fetching.size() + posted.size();
  }

  /** Whether the second NIC has nothing to report that concerns it. */
  boolean isQuiet() {
    return notesOut == 0 && pieces() == 0;
  }

  /** Its second NIC as ours knows it, if it has told the address. */
  @Nullable RemotePeer second() {
    return second;
  }

  /**
   * It has told the address of its second NIC, which stays.
   *
   * @throws BackendException if that is none
   */
  RemotePeer second(Domain nics, byte[] address) {
    RemotePeer known = second;
    if (known != null && Arrays.equals(address, secondAddress)) {
      return known;
    }
    if (known != null) {
      throw new BackendException(
          0, "expected the address that the peer has told before, got another one");
    }
    RemotePeer resolved = nics.resolve(engine, nic, address);
    second = resolved;
    secondAddress = address;
    return resolved;
  }
}
