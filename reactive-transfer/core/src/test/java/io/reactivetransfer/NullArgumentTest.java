package io.reactivetransfer;

import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.reactivetransfer.EngineOptions.Builder;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is null is named, where it is given and not where it is used. */
class NullArgumentTest {

  private static void refusedByName(String argument, ThrowingCallable call) {
    assertThatNullPointerException().isThrownBy(call).withMessage(argument);
  }

  static Stream<Arguments> options() {
    return Stream.of(
        option("livenessDeadline", b -> b.livenessDeadline(null)),
        option("transferDeadline", b -> b.transferDeadline(null)),
        option("connectTimeout", b -> b.connectTimeout(null)),
        option("closeTimeout", b -> b.closeTimeout(null)),
        option("idle", b -> b.idle(null)));
  }

  private static Arguments option(String name, Function<Builder, Builder> setter) {
    return Arguments.of(name, setter);
  }

  @ParameterizedTest
  @MethodSource("options")
  void anOptionIsNamed(String name, Function<Builder, Builder> setter) {
    refusedByName(name, () -> setter.apply(EngineOptions.builder()));
  }

  @Test
  void whatIsReadIsNamed() {
    refusedByName("bytes", () -> RegionDescriptor.fromBytes(null));
    refusedByName("bytes", () -> PeerAddress.fromBytes(null));
    refusedByName("text", () -> PeerAddress.fromText(null));
    refusedByName("text", () -> HostPort.parse(null));
    refusedByName("indices", () -> PageList.of((int[]) null));
    refusedByName("indices", () -> PageList.of((MemorySegment) null));
  }

  @Test
  void thePartsOfAnAddressAreNamed() {
    HostPort control = new HostPort("h", 1);
    refusedByName("host", () -> new HostPort(null, 1));
    refusedByName("engine", () -> new PeerAddress("b", null, control));
    refusedByName("control", () -> new PeerAddress("b", new EngineId(0, 1), null));
    refusedByName("backend", () -> new PeerAddress(null, new EngineId(0, 1), control));
  }

  @Test
  void thePartsOfATransferAreNamed() {
    MemorySlice source = new MemorySlice(new FakeRegion(8), 0, 8);
    RemoteSlice target = new RemoteSlice(new FakeRemote(8), 0, 8);
    PageList pages = PageList.of(0);
    refusedByName("region", () -> new MemorySlice(null, 0, 8));
    refusedByName("region", () -> new RemoteSlice(null, 0, 8));
    refusedByName("source", () -> Write.of(null, target));
    refusedByName("target", () -> Write.of(source, null));
    refusedByName("source", () -> WriteImm.of(null, target, Imm.of(1)));
    refusedByName("target", () -> WriteImm.of(source, null, Imm.of(1)));
    refusedByName("imm", () -> WriteImm.of(source, target, null));
    refusedByName("source", () -> PagedWrite.of(8, null, pages, target, pages, null));
    refusedByName("source pages", () -> PagedWrite.of(8, source, null, target, pages, null));
    refusedByName("target", () -> PagedWrite.of(8, source, pages, null, pages, null));
    refusedByName("target pages", () -> PagedWrite.of(8, source, pages, target, null, null));
    refusedByName(
        "rows",
        () ->
            PagedWrite.of(
                null,
                new PagedWrite.Side<>(source, pages, 8),
                new PagedWrite.Side<>(target, pages, 8),
                null));
    AimedWrite aimed = AimedWrite.between(new FakeRegion(8), new FakeRemote(8), Imm.of(1));
    refusedByName("rows", () -> aimed.aim((PagedWrite.Rows) null, 0, 0));
    refusedByName("list", () -> aimed.aim((GatherList) null, 0, 0));
    refusedByName("source", () -> new Scatter.Part(null, target));
    refusedByName("target", () -> new Scatter.Part(source, null));
    refusedByName("parts", () -> new Scatter(null, null));
    refusedByName("group", () -> Signal.of((PeerGroup) null, Imm.of(1)));
    refusedByName("peers", () -> new PeerGroup(null));
  }
}
