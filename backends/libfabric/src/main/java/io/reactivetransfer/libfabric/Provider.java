package io.reactivetransfer.libfabric;

import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.libfabric.ffi.FiInfo;
import java.util.List;
import java.util.Optional;

/**
 * What is known of a provider beyond what it says of itself, by its name. Of one that is not known
 * the worst is assumed.
 *
 * @param name for libfabric
 * @param place where it moves bytes
 * @param needsHost whether it listens on an address of this machine
 * @param deliveryComplete whether a completion can mean delivery
 * @param shortcomings what it cannot keep, for people; empty if it keeps everything
 */
record Provider(
    String name,
    Place place,
    boolean needsHost,
    boolean deliveryComplete,
    List<String> shortcomings) {

  /** Where bytes are moved. */
  enum Place {
    /**
     * In a card, which checks each packet against the registration: when that has ended, nothing
     * lands any more. Endpoints are dear.
     */
    CARD,
    /**
     * In this process, which checks when a write begins: the rest of it lands whatever becomes of
     * the registration. What ends it is that its endpoint is closed, so each memory has its own.
     */
    PROCESS
  }

  /** Its layer over another provider, by this name, does not survive broken connections. */
  static final String RXM_OVER_TCP = "tcp;ofi_rxm";

  static final String EFA = "efa";
  static final String VERBS = "verbs;ofi_rxm";
  static final String TCP = "tcp";
  static final String SHM = "shm";

  /** Those that are looked for when none is named, best first. */
  static final List<String> CANDIDATES = List.of(EFA, VERBS, TCP);

  /** Those that may be there, and are not looked for. */
  static final List<String> OTHERS =
      List.of(SHM, "net", "sockets", "udp;ofi_rxd", "psm3", "opx", "cxi", "ucx");

  private static final int FIRST_SHM_VERSION = 2 << 16;

  /** The first that lets cards write that can; who asks for an older interface gets less of it. */
  private static final int FIRST_EFA_VERSION = 1 << 16 | 18;

  static Provider of(String name) {
    return switch (name) {
      case EFA ->
          new Provider(
              EFA,
              Place.CARD,
              false,
              true,
              List.of(
                  "REVOCATION of a write that is half-way in, where the target's process does the"
                      + " writing: where one of the two cards cannot"));
      case VERBS ->
          new Provider(
              VERBS,
              Place.CARD,
              true,
              true,
              List.of(
                  "a write into revoked memory ends the connection that other writes of the same"
                      + " two NICs use, and they fail, too"));
      case TCP, RXM_OVER_TCP -> new Provider(name, Place.PROCESS, true, true, List.of());
      case SHM ->
          new Provider(
              SHM,
              Place.PROCESS,
              false,
              false,
              List.of(
                  "a write to a process that dies may be reported as written",
                  "two engines of one process cannot use it",
                  "TARGET_CHECKS and REVOCATION, where the kernel copies between processes"));
      default -> new Provider(name, Place.PROCESS, name.startsWith("net"), false, List.of());
    };
  }

  /** Whether this backend was ever run over it, by those who wrote it. */
  boolean wasRun() {
    return switch (name) {
      case TCP, RXM_OVER_TCP, SHM -> true;
      default -> false;
    };
  }

  /**
   * Whether a length above 0 that comes with an immediate is that of the write, as those of several
   * versions were; some say 0 of each. The manual promises it of received messages only, so of
   * others nothing is believed.
   */
  boolean saysLengths() {
    return wasRun();
  }

  /** The version of the interface that it is asked with. */
  int apiVersion(int libraryVersion) {
    return name.equals(EFA) ? Math.min(libraryVersion, FIRST_EFA_VERSION) : Fi.API_VERSION;
  }

  /** Whether this side must make the connections of writes. */
  boolean connects() {
    return name.equals(RXM_OVER_TCP);
  }

  /** The provider below a layer, if this is one with a layer. */
  String below() {
    int end = name.indexOf(';');
    return end < 0 ? name : name.substring(0, end);
  }

  /** Why this one is not used, whoever asks for it. */
  static Optional<String> refusal(FiInfo info, int libraryVersion) {
    return switch (info.provider()) {
      case SHM ->
          libraryVersion < FIRST_SHM_VERSION
              ? Optional.of(
                  "before libfabric 2.0 a process hangs for ever when its peer dies; it has "
                      + text(libraryVersion))
              : Optional.empty();
      case EFA ->
          libraryVersion < FIRST_EFA_VERSION
              ? Optional.of(
                  "before libfabric 1.18 all its writes are done by the target's process, which"
                      + " revoking does not stop; it has "
                      + text(libraryVersion))
              : lacks(info);
      case "net", "net;ofi_rxm" -> Optional.of("it crashes when its queues have descriptors");
      case "sockets" -> Optional.of("its own completions look like arrivals");
      case "udp", "udp;ofi_rxd" -> Optional.of("its writes time out under load");
      default -> lacks(info);
    };
  }

  private static Optional<String> lacks(FiInfo info) {
    if (info.immBytes() < Integer.BYTES) {
      return Optional.of("expected immediates of 4 bytes or more, got " + info.immBytes());
    }
    if (info.iovLimit() < 1 || info.rmaIovLimit() < 1) {
      return Optional.of(
          "expected writes of one part of memory or more, got at most "
              + info.iovLimit()
              + " here and "
              + info.rmaIovLimit()
              + " at the target");
    }
    return Optional.empty();
  }

  /** A version as people write it. */
  static String text(int version) {
    return (version >>> 16) + "." + (version & 0xffff);
  }
}
