package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Chapter 17, continued: bytes that came from elsewhere, and keys. */
abstract class DriverTrustRules extends RuleGroup {

  private static final int KEYS = 64;

  /** Of keys of 32 random bits, 16 differ from one to the next. */
  private static final int MIN_DIFFERING_BITS = 10;

  DriverTrustRules(TransferConformance kit) {
    super(kit);
  }

  private Wire wire() {
    return Wire.open(stage(), Wire.LENGTH, 0);
  }

  /** Nothing but a {@link BackendException} may come of bytes from elsewhere. */
  private static void expectRefusal(String what, @Nullable RuntimeException refusal) {
    if (refusal != null) {
      assertThat(refusal)
          .withFailMessage("expected that %s is a BackendException, got '%s'", what, refusal)
          .isInstanceOf(BackendException.class);
    }
  }

  @Test
  final void r17_15_whatIsNoAddressLeadsNowhere() {
    Wire wire = wire();
    wire.connect();
    byte[] address = wire.target().call(nic -> nic.address());
    for (int length : new int[] {1, 16, address.length, 256, 5_000}) {
      byte[] noise = new byte[length];
      stage().random().nextBytes(noise);
      resolve(wire, stranger(), noise); // not to be written to: somebody may be there
    }
    List<Runnable> toBeLost = new ArrayList<>();
    for (int length = 0; length <= address.length + 1; length++) {
      EngineId id = stranger(); // so the whole address is a wrong one, too
      RemotePeer peer = resolve(wire, id, Arrays.copyOf(address, length));
      if (peer != null) {
        toBeLost.add(() -> expectLost(wire, peer, id));
      }
    }
    if (stage().profile().missing().get(Capability.LOST_PEERS) == null) {
      sample(toBeLost).forEach(Runnable::run);
    }
    wire.post(wire.write(0, 0, 10, 1));
    wire.until("a write to a real address", () -> wire.origin().hasReported("written 1"));
  }

  @Test
  final void r17_34_whatANicOfAPeerSaysMayBeAnything() {
    stage().requireNics(1);
    BareNic target = Wire.nic(stage(), 2);
    Wire sound = to(target, Wire.nic(stage(), 1));
    Wire noisy = to(target, Wire.nic(stage(), 3));
    Wire back = sound.back();
    List.of(sound, noisy, back).forEach(Wire::connect);
    byte[] address = noisy.origin().call(nic -> nic.address());
    RemotePeer speaker = target.call(nic -> nic.resolve(noisy.origin().engine(), 0, address));
    List<Integer> lengths = List.of(0, 1, 2, 3, 4, 8, 16, 64, 255, 1_023, BareNic.MAX_SAID);
    for (int length : lengths) {
      byte[] noise = new byte[length];
      stage().random().nextBytes(noise);
      sound.post(sound.write(0, 0, 10, length));
      back.post(back.write(0, 0, 10, length));
      RuntimeException thrown =
          target.attempt(nic -> nic.fromPeer(speaker, ByteBuffer.wrap(noise)));
      assertThat(thrown).as("what comes of %s bytes that a NIC has said", length).isNull();
      noisy.turn();
    }
    for (Wire wire : List.of(sound, back)) {
      wire.until(
          "reports of all writes between others",
          () -> wire.origin().reported() > lengths.size()); // and of the first one
      assertThat(wire.origin().reports())
          .as("what became of writes between others")
          .containsAll(lengths.stream().map(length -> "written " + length).toList());
    }
    for (BareNic nic : List.of(target, sound.origin(), noisy.origin())) {
      assertThat(nic.tooLong()).as("what was said, of at most 1,024 bytes").isEmpty();
    }
  }

  private Wire to(BareNic target, BareNic origin) {
    return Wire.between(
        origin, target, stage(), stage().memory(Wire.LENGTH), stage().memory(Wire.LENGTH), 0);
  }

  private EngineId stranger() {
    return new EngineId(stage().random().nextLong(), 4_711);
  }

  private static @Nullable RemotePeer resolve(Wire wire, EngineId id, byte[] address) {
    AtomicReference<@Nullable RemotePeer> peer = new AtomicReference<>();
    expectRefusal(
        "what comes of resolving " + address.length + " bytes",
        wire.origin().attempt(nic -> peer.set(nic.resolve(id, 0, address))));
    return peer.get();
  }

  private static List<Runnable> sample(List<Runnable> all) {
    return all.size() <= 3 ? all : List.of(all.getFirst(), all.get(all.size() / 2), all.getLast());
  }

  private static void expectLost(Wire wire, RemotePeer peer, EngineId id) {
    RemoteMemory memory =
        wire.origin().call(nic -> nic.resolve(peer, wire.ends().local().key(), Wire.LENGTH));
    Operation op =
        new Operation()
            .between(wire.ends().source(), memory)
            .range(0, 0, 10)
            .token(77)
            .withoutImm();
    boolean[] taken = {false};
    wire.until(
        "the loss of a peer whose address is none",
        () -> {
          taken[0] |= wire.origin().call(nic -> !taken[0] && nic.post(op).isTaken());
          return wire.origin().hasReported("lost " + id);
        });
    assertThat(wire.origin().reports())
        .as("reports, when write 77 went to a peer whose address is none")
        .doesNotContain("written 77");
  }

  private List<byte[]> keys(Wire wire) {
    MemorySegment memory = stage().memory(KEYS * 64L);
    return IntStream.range(0, KEYS)
        .mapToObj(i -> {
          HostMemory part = new HostMemory(memory.asSlice(i / 2 * 64L, 64));
          return wire.target().register(part, Access.REMOTE_WRITE).key();
        })
        .toList();
  }

  @Test
  final void r17_16_nobodyGuessesAKey() {
    stage().require(Capability.SECRET_KEYS);
    List<byte[]> keys = keys(wire());
    assertThat(keys.stream().map(ByteBuffer::wrap).distinct()).as("keys").hasSize(KEYS);
    int length = keys.stream().mapToInt(key -> key.length).max().orElseThrow();
    List<byte[]> padded = keys.stream().map(key -> Arrays.copyOf(key, length)).toList();
    long bits = 0;
    Set<ByteBuffer> steps = new HashSet<>();
    for (int i = 1; i < KEYS; i++) {
      byte[] step = new byte[length];
      for (int at = 0; at < length; at++) {
        step[at] = (byte) (padded.get(i)[at] - padded.get(i - 1)[at]);
        bits += Integer.bitCount((padded.get(i)[at] ^ padded.get(i - 1)[at]) & 0xff);
      }
      steps.add(ByteBuffer.wrap(step));
    }
    assertThat((double) bits / (KEYS - 1))
        .as("bits in which a key differs from the one before")
        .isGreaterThanOrEqualTo(MIN_DIFFERING_BITS);
    assertThat(steps).as("differences from one key to the next").hasSizeGreaterThan(KEYS / 2);
  }

  @Test
  final void r17_17_noTextShowsAKey() {
    Wire wire = Wire.open(stage(), Wire.LENGTH, 100);
    wire.connect();
    byte[] key = wire.ends().local().key();
    List<@Nullable String> texts = new ArrayList<>();
    for (int length = 0; length <= key.length + 1; length++) {
      byte[] cut = Arrays.copyOf(key, length);
      RuntimeException refusal =
          wire.origin().attempt(nic -> nic.resolve(wire.ends().peer(), cut, Wire.LENGTH));
      texts.add(refusal == null || length == key.length ? "" : refusal.toString());
    }
    byte[] wrong = key.clone();
    wrong[wrong.length - 1] ^= 1;
    RemoteMemory[] other = new RemoteMemory[1];
    wire.origin().attempt(nic -> other[0] = nic.resolve(wire.ends().peer(), wrong, Wire.LENGTH));
    if (stage().profile().missing().get(Capability.TARGET_CHECKS) == null) {
      expectFailure(wire, wire.write(0, Wire.LENGTH, 10, 1));
      if (other[0] != null) {
        Operation op = wire.write(0, 0, 10, 2);
        expectFailure(wire, op.between(op.local(), other[0]));
      }
    }
    if (stage().profile().missing().get(Capability.REVOCATION) == null) {
      LocalMemory renamed = wire.target().revoke(wire.ends().local());
      expectFailure(wire, wire.write(0, 0, 10, 3));
      expectHidden(texts, renamed.key());
    }
    Operation late = wire.write(0, 0, 10, 4);
    wire.origin().call(nic -> nic.post(late).isTaken());
    wire.origin()
        .attempt(nic -> nic.disconnect(wire.ends().peer(), "given up by the conformance kit"));
    stage().patience().turning(wire.origin()::turn);
    texts.addAll(wire.origin().texts());
    texts.addAll(wire.target().texts());
    assertThat(texts).as("what was said of failures").isNotEmpty();
    expectHidden(texts, key);
    expectHidden(texts, wrong);
  }

  private static void expectFailure(Wire wire, Operation op) {
    wire.post(op);
    wire.awaitRefusal(op);
  }

  private static void expectHidden(List<@Nullable String> texts, byte[] key) {
    Set<String> shown = KeyTexts.of(key);
    for (String text : texts) {
      String plain = KeyTexts.plain(Objects.requireNonNullElse(text, ""));
      assertThat(shown)
          .as("forms of a key in '%s'", text)
          .noneMatch(form -> plain.contains(KeyTexts.plain(form)));
    }
  }
}
