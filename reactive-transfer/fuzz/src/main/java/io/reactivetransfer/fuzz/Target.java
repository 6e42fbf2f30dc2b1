package io.reactivetransfer.fuzz;

import java.util.stream.Stream;

/** What is fuzzed: where its test is, and how many of each 1,000 cases it gets. */
public enum Target {
  /** The bytes and the text of a peer's address. */
  PEER_ADDRESS("reactive-transfer/core", "DescriptorFuzzTest#peerAddresses", 101),
  /** The bytes of a region's descriptor. */
  REGION_DESCRIPTOR("reactive-transfer/core", "DescriptorFuzzTest#regionDescriptors", 143),
  /** The first thing that engines say to each other. */
  GREETING("reactive-transfer/core", "GreetingTest#isReadAsWhatItSaysOrRefused", 40),
  /** What engines say to each other. */
  CONTROL_FRAMES("reactive-transfer/core", "ControlFrameFuzzTest", 60),
  /** What the two sides of a hand-over say to each other. */
  KV_MESSAGES("reactive-transfer/kv-cache", "KvCodecFuzzTest", 100),
  /** The routing tables of weights, and what ranks say of their tensors. */
  WEIGHTS("reactive-transfer/weights", "WeightsCodecFuzzTest", 30),
  /** What controllers and inference ranks say to each other about versions of weights. */
  WEIGHTS_VERSIONS("reactive-transfer/weights", "VersionCodecFuzzTest", 20),
  /** What controllers and trainers elsewhere say to each other. */
  WEIGHTS_TRAINERS("reactive-transfer/weights", "RemoteCodecFuzzTest", 10),
  /** What ranks of a trainer say to each other of what they gather. */
  WEIGHTS_GATHER("reactive-transfer/weights", "GatherFuzzTest", 30),
  /** What trainers say to inference ranks about checksums. */
  WEIGHTS_CHECKSUMS("reactive-transfer/weights", "SumCodecFuzzTest", 10),
  /** The headers of files of weights. */
  SAFETENSORS("reactive-transfer/weights", "SafetensorsFuzzTest", 20),
  /** The index of a model in several such files. */
  SAFETENSORS_INDEXES("reactive-transfer/weights", "SafetensorsIndexFuzzTest", 4),
  /** What ranks of a group of experts say to each other. */
  MOE_MESSAGES("reactive-transfer/moe", "MoeFuzzTest#messages", 12),
  /** What they write to each other of their routes. */
  MOE_ROUTES("reactive-transfer/moe", "MoeFuzzTest#routes", 8),
  /** What they say, well formed, to a group that is at work. A case takes milliseconds. */
  MOE_SESSION("tck/simulation", "MoeSessionFuzzTest#whatever*", 1),
  /** What each side of a control channel's handshake gets. */
  CONTROL_HANDSHAKE("backends/control", "HandshakeFuzzTest#handshakes", 5),
  /** The frames of its sessions. */
  CONTROL_SESSION("backends/control", "HandshakeFuzzTest#frames", 25),
  /** The address and the keys of a tcp NIC. */
  TCP_NAMES("backends/tcp", "NicAddressFuzzTest", 60),
  /** Hostile origins against the inbound side of tcp. */
  TCP_INBOUND("backends/tcp", "InboundFuzzTest", 180),
  /** Strangers, and members, who prove to a NIC of tcp that they have a session, or do not. */
  TCP_PROOFS("backends/tcp", "ProofFuzzTest", 10),
  /** Hostile targets against the outbound side of tcp. */
  TCP_OUTBOUND("backends/tcp", "OutboundFuzzTest", 116),
  /** Both, over real sockets. */
  TCP_SOCKETS("backends/tcp", "SocketFuzzTest", 4),
  /** What other NICs of libfabric send. */
  LIBFABRIC_FRAMES("backends/libfabric", "HostileFramesFuzzTest", 10),
  /**
   * What a peer says, and writes, of memory of accelerators. A case takes 15 ms, so that 10,000 of
   * them take 150 s of a night.
   */
  STAGING("backends/staging", "HostilePeerFuzzTest", 1);

  private static final int WHOLE = 1_000;

  private final String module;
  private final String test;
  private final int share;

  Target(String module, String test, int share) {
    this.module = module;
    this.test = test;
    this.share = share;
  }

  /** The number of its cases, of this many for all; at least 1. */
  long cases(long all) {
    return Math.max(1, all / WHOLE * share + all % WHOLE * share / WHOLE);
  }

  /** The command that runs one case alone. */
  String replay(long seed, long index) {
    return "mvn test -pl "
        + module
        + " -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest='"
        + test
        + "' -D"
        + Fuzz.SEED
        + "="
        + seed
        + " -D"
        + Fuzz.CASE
        + "="
        + index;
  }

  /** What all shares add up to: 1,000, so that the number of cases is what was asked for. */
  static int shares() {
    return Stream.of(values()).mapToInt(target -> target.share).sum();
  }
}
