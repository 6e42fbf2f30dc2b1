package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Scatter.Part;
import io.reactivetransfer.Signal;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.BackendException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;

/** What is checked before any NIC sees anything. */
class EngineArgumentsTest {

  @RegisterExtension final EngineByHand hand = new EngineByHand();
  @RegisterExtension final EngineByHand elsewhere = new EngineByHand();

  private TransferEngine engine;
  private MemoryRegion source;
  private MemoryRegion foreignSource;
  private RemoteRegion target;
  private RemoteRegion foreignTarget;

  @BeforeEach
  void open() {
    hand.open(1);
    elsewhere.open(1);
    engine = hand.engine();
    source = hand.region();
    foreignSource = elsewhere.region();
    target = hand.remote(1);
    foreignTarget = elsewhere.remote(1);
  }

  private static void rejected(Runnable call) {
    assertThatExceptionOfType(TransferRejectedException.class).isThrownBy(call::run);
  }

  @Test
  void whatBelongsToAnotherEngineIsRejected() {
    PageList pages = PageList.of(0);
    Imm imm = Imm.of(1);
    Part ours = new Part(source.slice(0, 1), target.slice(0, 1));
    List<Transfer> transfers =
        List.of(
            Write.of(foreignSource.slice(0, 1), target.slice(0, 1)),
            Write.of(source.slice(0, 1), foreignTarget.slice(0, 1)),
            WriteImm.of(foreignSource.slice(0, 1), target.slice(0, 1), imm),
            WriteImm.of(source.slice(0, 1), foreignTarget.slice(0, 1), imm),
            PagedWrite.of(1, foreignSource.whole(), pages, target.whole(), pages, imm),
            PagedWrite.of(1, source.whole(), pages, foreignTarget.whole(), pages, imm),
            Scatter.of(imm, ours, new Part(foreignSource.slice(0, 1), target.slice(0, 1))),
            Scatter.of(imm, ours, new Part(source.slice(0, 1), foreignTarget.slice(0, 1))),
            Signal.of(elsewhere.peer(1), imm));
    for (Transfer transfer : transfers) {
      rejected(() -> engine.submit(transfer));
      Probe<Transfer> stream = hand.probe(engine.submit(Flux.just(transfer)));
      hand.turn();
      assertThat(stream.error()).isInstanceOf(TransferRejectedException.class);
    }
    assertThat(hand.posted()).as("nothing was begun").isEmpty();
    rejected(() -> engine.send(elsewhere.peer(1), ByteBuffer.allocate(1)));
  }

  @Test
  void aDescriptorMustAllowWriting() {
    PeerAddress owner = EngineByHand.addressOf(1);
    RegionDescriptor local =
        new RegionDescriptor(owner, 1, 10, Access.LOCAL, List.of(new byte[] {1}));
    rejected(() -> engine.remote(local));
  }

  @Test
  void anotherBackendCannotBeReached() {
    PeerAddress other =
        new PeerAddress("other", hand.peer(1).id(), EngineByHand.addressOf(1).control());
    rejected(() -> engine.peer(other));
    rejected(() -> engine.remote(EngineByHand.descriptor(other, 1, 10)));
  }

  @Test
  void theSameAddressIsTheSamePeer() {
    Peer peer = engine.peer(EngineByHand.addressOf(1));
    assertThat(engine.peer(EngineByHand.addressOf(1))).isSameAs(peer);
    assertThat(target.peer()).isSameAs(peer);
    assertThat(engine.peer(EngineByHand.addressOf(2))).isNotEqualTo(peer);
    assertThat(peer.address()).isEqualTo(EngineByHand.addressOf(1));
  }

  @Test
  void aPeerIsLookedForWhereItWasSaidToBeLast() {
    Peer peer = hand.peer(1);
    PeerAddress elsewhere = new PeerAddress("scripted", peer.id(), new HostPort("there", 1));
    hand.control().peersGreet = false;
    assertThat(engine.peer(elsewhere)).isSameAs(peer);
    assertThat(peer.address()).isEqualTo(elsewhere);
    Probe<Void> sending = hand.probe(engine.send(peer, ByteBuffer.allocate(1)));
    hand.turn();
    assertThat(hand.control().lastAddress()).isEqualTo(elsewhere.control());
    sending.cancel();
  }

  /** Behind a translation of addresses, what an engine says of itself leads nowhere. */
  @Test
  void whatAPeerSaysOfItselfDoesNotMoveIt() {
    PeerAddress named =
        new PeerAddress("scripted", hand.address(1).engine(), new HostPort("outside", 1));
    ByteBuffer hello = hand.hello(1);
    Peer peer = engine.peer(named);
    hand.receive(1, hello);
    engine.remote(hand.descriptor(1, 10));
    assertThat(peer.address()).isEqualTo(named);
  }

  @Test
  void aRemoteRegionIsAsLongAsItsDescriptorSays() {
    RegionDescriptor descriptor = hand.descriptor(1, 10);
    RemoteRegion remote = engine.remote(descriptor);
    assertThat(remote.length()).isEqualTo(10);
    assertThat(remote.descriptor()).isEqualTo(descriptor);
    assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> remote.slice(5, 6));
  }

  @Test
  void whatTheNicCannotResolveIsRejected() {
    hand.nic(0).resolveFailure = new BackendException(22, "not a key of ours");
    Write write = Write.of(source.slice(0, 1), target.slice(0, 1));
    Probe<Write> probe = hand.probe(engine.submit(write));
    hand.turn();
    assertThat(probe.error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContaining("not a key of ours");
    hand.nic(0).resolveFailure = null;
    Probe<Write> again = hand.probe(engine.submit(write));
    hand.turn();
    hand.completeAll();
    again.assertComplete();
  }

  private static void refusedByName(String argument, ThrowingCallable call) {
    assertThatNullPointerException().isThrownBy(call).withMessage(argument);
  }

  @Test
  void nullIsRefusedAtOnceAndNamed() {
    Peer peer = hand.peer(1);
    Duration second = Duration.ofSeconds(1);
    Write write = Write.of(source.slice(0, 1), target.slice(0, 1));
    refusedByName("imm", () -> engine.counter(null));
    refusedByName("transfers", () -> engine.submit((Flux<Write>) null));
    refusedByName("transfers", () -> engine.submit((Flux<Write>) null, second));
    refusedByName("transfers", () -> engine.submitEach(null));
    refusedByName("transfer", () -> engine.submit((Write) null));
    refusedByName("transfer", () -> engine.submit((Write) null, second));
    refusedByName("deadline", () -> engine.submit(write, null));
    refusedByName("deadline", () -> engine.submit(Flux.just(write), null));
    refusedByName("memory", () -> engine.register(null, Access.LOCAL));
    refusedByName("access", () -> engine.register(source.memory(), null));
    refusedByName("address", () -> engine.peer((PeerAddress) null));
    refusedByName("at", () -> engine.peer((HostPort) null));
    refusedByName("descriptor", () -> engine.remote(null));
    refusedByName("peer", () -> engine.send(null, ByteBuffer.allocate(1)));
    refusedByName("message", () -> engine.send(peer, null));
    refusedByName("group", () -> engine.barrier(null));
    refusedByName("word", () -> engine.watch((MemorySegment) null));
    refusedByName("word", () -> engine.watch((Memory) null));
    ImmCounter counter = engine.counter(Imm.of(1));
    refusedByName("peers", () -> counter.boundTo((List<Peer>) null));
    refusedByName("peer", () -> counter.boundTo((Peer) null));
    refusedByName("deadline", () -> counter.within(null));
  }

  @Test
  void theBuilderNamesWhatIsNull() {
    TransferEngineBuilder builder = TransferEngineBuilder.create();
    refusedByName("name", () -> builder.backend((String) null));
    refusedByName("backend", () -> builder.backend((Backend) null));
    refusedByName("options", () -> builder.options(null));
    refusedByName("environment", () -> builder.environment(null));
  }

  /** A claim that nobody's loss ends would wait like one that is not bound. */
  @Test
  void aClaimIsBoundToSomebody() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> engine.counter(Imm.of(1)).boundTo(List.of()))
        .withMessage(
            "expected one or more peers to bind claims to, got none; claims of a counter that"
                + " nobody bound wait for whoever writes");
  }
}
