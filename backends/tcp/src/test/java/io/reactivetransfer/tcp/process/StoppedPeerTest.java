package io.reactivetransfer.tcp.process;

import static io.reactivetransfer.tcp.process.Local.FOUND;
import static io.reactivetransfer.tcp.process.Local.LIVENESS;
import static io.reactivetransfer.tcp.process.Local.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Signal;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.tck.process.EngineProcess;
import io.reactivetransfer.tck.process.EngineProgram;
import io.reactivetransfer.tck.process.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/**
 * Processes that stand still: their sockets stay open, and their system takes bytes for them and
 * acknowledges them.
 */
class StoppedPeerTest {

  private static final int BYTES = 1 << 20;
  private static final Imm IMM = Imm.of(7);
  private static final Duration A_WHILE = Duration.ofMillis(400);

  private int nextImm = 1_000;
  private Local local = Local.open(BYTES, Local.options());
  private final EngineProcess child = TcpProgram.start();

  @AfterEach
  void close() {
    child.close();
    local.close();
  }

  private WriteImm write(RemoteRegion target) {
    return WriteImm.of(local.region.whole(), target.whole(), nextImm());
  }

  private WriteImm smallWrite(RemoteRegion target) {
    return WriteImm.of(local.region.slice(0, 64), target.slice(0, 64), nextImm());
  }

  /** Each time another one: those of what failed are in doubt. */
  private Imm nextImm() {
    return Imm.of(nextImm++);
  }

  private CompletableFuture<WriteImm> submit(WriteImm write) {
    return local.engine.submit(write).toFuture();
  }

  /** More than the sockets hold. */
  private CompletableFuture<Long> submitMany(RemoteRegion target) {
    return local.engine.submit(Flux.just(write(target)).repeat(99)).count().toFuture();
  }

  /** Has a connection, on every NIC. */
  private RemoteRegion connectedMemory() {
    RemoteRegion target = local.remote(child.memory("m", BYTES));
    local.write(write(target));
    return target;
  }

  private void reopen(Duration liveness, Duration closeTimeout) {
    local.close();
    local =
        Local.open(BYTES, Local.options().livenessDeadline(liveness).closeTimeout(closeTimeout));
  }

  private void assertNamesChild(Throwable error) {
    assertThat(error)
        .isInstanceOfSatisfying(
            PeerUnreachableException.class, e -> assertThat(e.peer()).isEqualTo(child.id()))
        .hasMessageContaining(child.id().toShortString());
  }

  @Test
  void noWriteToAStoppedTargetIsDoneAndItIsFoundAndComesBack() {
    RemoteRegion target = connectedMemory();
    EngineId id = child.id();
    List<PeerState> states = local.watch(child);
    local.await(child, PeerState.Alive.class);

    child.pause();
    CompletableFuture<WriteImm> small = submit(smallWrite(target));
    CompletableFuture<Long> many = submitMany(target);

    Waiting.silence(small, A_WHILE);
    assertThat(many).isNotDone();
    assertNamesChild(Waiting.failure(small, FOUND));
    assertNamesChild(Waiting.failure(many, FOUND));
    local.region.quiesced().block(LONG);
    local.await(child, PeerState.Lost.class);

    child.resume();
    local.await(child, PeerState.Alive.class);
    assertThat(child.id()).isEqualTo(id);
    local.memory.fill((byte) 2);
    local.write(write(target));
    assertThat(child.call("values", "m")).isEqualTo("2");
    local.write(smallWrite(target));
    assertThat(child.call("values", "m")).as("what had failed came later").isEqualTo("2");
    assertThat(states)
        .extracting(state -> state.getClass().getSimpleName())
        .filteredOn(name -> !name.equals("Unknown")) // it may be over before anyone looked
        .startsWith("Alive", "Lost", "Alive");
  }

  @Test
  void whatWasOnItsWayToAStoppedTargetDoesNotLandAfterARevoke() {
    RemoteRegion target = connectedMemory();
    local.memory.fill((byte) 1);
    child.pause();
    CompletableFuture<Long> many = submitMany(target);
    CompletableFuture<String> revoked = child.ask("revoke-and-fill", "m", 9);
    assertNamesChild(Waiting.failure(many, FOUND));

    child.resume();
    RemoteRegion renewed = local.remote(EngineProgram.descriptor(revoked.join()));
    local.await(child, PeerState.Alive.class);

    Throwable refused = Waiting.failure(submit(write(target)), LONG);
    assertThat(refused).isInstanceOf(TransferException.class).hasMessageContaining("revoked");
    assertThat(child.call("values", "m")).isEqualTo("9");
    local.write(write(renewed));
    assertThat(child.call("values", "m")).isEqualTo("1");
  }

  @Test
  void messagesFlowInBothDirectionsBeforeAndAfterAStop() {
    RemoteRegion target = connectedMemory();
    assertMessagesFlow();
    child.pause();
    CompletableFuture<Long> many = submitMany(target);
    assertNamesChild(Waiting.failure(many, FOUND));

    child.resume();
    local.await(child, PeerState.Alive.class);
    child.call("await", local.addressText(), "Alive");

    assertMessagesFlow();
  }

  /** More than there is credit for. */
  private void assertMessagesFlow() {
    int count = 4 * local.engine.options().messageCredits();
    List<Integer> numbers = IntStream.range(0, count).boxed().toList();
    CompletableFuture<List<Integer>> received =
        local
            .engine
            .messages()
            .take(count)
            .map(message -> message.bytes().getInt())
            .collectList()
            .toFuture();
    CompletableFuture<String> receivedThere = child.ask("receive", count);
    CompletableFuture<String> sent = child.ask("send", local.addressText(), count);
    Flux.fromIterable(numbers)
        .concatMap(number -> local.engine.send(local.peer(child), EngineProgram.bytes(number)))
        .blockLast(LONG);

    assertThat(received.orTimeout(20, TimeUnit.SECONDS).join()).isEqualTo(numbers);
    assertThat(receivedThere.join())
        .isEqualTo(numbers.stream().map(String::valueOf).collect(Collectors.joining(",")));
    sent.join();
  }

  @Test
  void aProcessThatStoodStillItselfHoldsNobodyForLost() {
    reopen(Local.CALM, LIVENESS);
    Duration liveness = LIVENESS.multipliedBy(2);
    try (EngineProcess sleeper = TcpProgram.start("127.0.0.1", 0, liveness)) {
      String here = local.addressText();
      sleeper.call("watch", here);
      sleeper.call("await", here, "Alive");
      String before = sleeper.call("states", here);
      CompletableFuture<String> claim = sleeper.ask("count", IMM.value(), 1, "from", here);

      sleeper.pause();
      Waiting.silence(claim, liveness.plus(LIVENESS));
      sleeper.resume();
      local.engine.submit(Signal.of(local.peer(sleeper), IMM)).block(LONG);

      assertThat(claim.join()).isEqualTo("all 1");
      assertThat(sleeper.call("states", here)).isEqualTo(before);
    }
  }

  @Test
  void whoWaitsForAStoppedOriginIsTold() {
    assertThat(child.call("write", local.descriptorText(), IMM.value(), 4, 64, 1))
        .isEqualTo("4 written");
    CompletableFuture<Void> claim =
        local.engine.counter(IMM).boundTo(local.peer(child)).next(10).toFuture();

    child.pause();

    Throwable lost = Waiting.failure(claim, FOUND);
    assertNamesChild(lost);
    assertThat(lost).hasMessageContaining("4 of 10").hasMessageContaining("silent for 1000 ms");
  }

  @Test
  void theDeadlineOfATransferToAStoppedTargetEndsItWhenItIsQuiet() {
    RemoteRegion target = connectedMemory();
    child.pause();
    CompletableFuture<Boolean> quiet = new CompletableFuture<>();
    CompletableFuture<WriteImm> late =
        local
            .engine
            .submit(write(target), Duration.ofMillis(200))
            .doOnError(_ -> quiet.complete(local.engine.stats().transfersInFlight() == 0))
            .toFuture();

    Waiting.silence(late, Duration.ofMillis(300));
    assertThat(Waiting.failure(late, FOUND))
        .isInstanceOf(DeadlineExceededException.class)
        .hasMessageContaining(child.id().toShortString())
        .hasMessageContaining("200 ms");
    assertThat(quiet.join()).isTrue();
  }

  @Test
  void closingEndsEverythingThatIsUnderWayToAStoppedTarget() {
    reopen(Duration.ofMinutes(1), Duration.ofMillis(500));
    RemoteRegion target = connectedMemory();
    child.pause();
    CompletableFuture<Long> many = submitMany(target);
    CompletableFuture<WriteImm> small = submit(smallWrite(target));
    CompletableFuture<Void> claim = local.engine.counter(IMM).next(1).toFuture();
    Waiting.silence(many, Duration.ofMillis(100));

    local.engine.close().block(FOUND);

    assertThat(Waiting.failure(many, FOUND)).isInstanceOf(TransferException.class);
    assertThat(Waiting.failure(small, FOUND)).isInstanceOf(TransferException.class);
    assertThat(Waiting.failure(claim, FOUND)).isInstanceOf(TransferRejectedException.class);
  }
}
