package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.GatherList;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.EngineEnvironment;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/**
 * One rule for all public methods: what is wrong with an argument is thrown at once, and everything
 * else is a signal. Held for each method that there is, by reflection.
 */
class ArgumentRuleTest {

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  /** A good argument of each type that methods take. */
  private final Map<Class<?>, Object> good = new HashMap<>();

  /** An object of each type that has methods. */
  private final Map<Class<?>, Object> objects = new LinkedHashMap<>();

  @BeforeEach
  void open() {
    hand.open(1);
    TransferEngine engine = hand.engine();
    MemoryRegion region = hand.region();
    RemoteRegion remote = hand.remote(1);
    Peer peer = hand.peer(1);
    WriteImm write = WriteImm.of(region.slice(0, 1), remote.slice(0, 1), Imm.of(1));
    MemorySegment word = Arena.ofAuto().allocate(8, 8);
    good.put(Memory.class, new HostMemory(word));
    good.put(MemorySegment.class, word);
    good.put(Access.class, Access.LOCAL);
    good.put(RegionDescriptor.class, hand.descriptor(1, 10));
    good.put(PeerAddress.class, EngineByHand.addressOf(1));
    good.put(HostPort.class, new HostPort("h", 1));
    good.put(String.class, "h:1");
    good.put(Transfer.class, write);
    good.put(Publisher.class, Flux.just(write));
    good.put(Duration.class, Duration.ofSeconds(1));
    good.put(Imm.class, Imm.of(1));
    good.put(Peer.class, peer);
    good.put(MessageChannel.class, MessageChannel.DEFAULT);
    good.put(ByteBuffer.class, ByteBuffer.allocate(1));
    good.put(PeerGroup.class, PeerGroup.of(peer));
    good.put(GatherList.class, GatherList.of(8, 16, 8).add(1));
    good.put(PagedWrite.Rows.class, new PagedWrite.Rows(2, 8, 16, 8));
    good.put(Collection.class, List.of(peer));
    good.put(EngineOptions.class, EngineOptions.defaults());
    good.put(EngineEnvironment.class, EngineEnvironment.builder().build());
    good.put(Backend.class, hand.backend);
    good.put(ToLongFunction.class, (ToLongFunction<Object>) _ -> 1);
    good.put(Runnable.class, (Runnable) () -> {});
    good.put(int.class, 1);
    good.put(long.class, 1L);
    objects.put(TransferEngine.class, engine);
    objects.put(MemoryRegion.class, region);
    objects.put(RemoteRegion.class, remote);
    objects.put(Peer.class, peer);
    objects.put(ImmCounter.class, engine.counter(Imm.of(2)));
    objects.put(ImmLease.class, engine.lease());
    objects.put(TransferEngineBuilder.class, TransferEngineBuilder.create());
  }

  private Stream<Method> methods() {
    return objects.keySet().stream()
        .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
        .filter(method -> Modifier.isPublic(method.getModifiers()))
        .filter(method -> !Modifier.isStatic(method.getModifiers()) && !method.isSynthetic());
  }

  private Object[] arguments(Method method) {
    return Arrays.stream(method.getParameterTypes())
        .map(type -> {
          assertThat(good).as("good arguments").containsKey(type);
          return good.get(type);
        })
        .toArray();
  }

  private Object call(Method method, Object... arguments) throws Throwable {
    try {
      return method.invoke(objects.get(method.getDeclaringClass()), arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static String name(Method method) {
    return method.getDeclaringClass().getSimpleName()
        + "."
        + method.getName()
        + Arrays.stream(method.getParameterTypes()).map(Class::getSimpleName).toList();
  }

  @TestFactory
  Stream<DynamicTest> nullIsRefusedAtOnceAndNamed() {
    return methods()
        .flatMap(method ->
            Stream.iterate(0, at -> at < method.getParameterCount(), at -> at + 1)
                .filter(at -> !method.getParameterTypes()[at].isPrimitive())
                .map(at -> {
                  Parameter parameter = method.getParameters()[at];
                  return DynamicTest.dynamicTest(
                      name(method) + " " + parameter.getName(),
                      () -> {
                        Object[] arguments = arguments(method);
                        arguments[at] = null;
                        assertThatThrownBy(() -> call(method, arguments))
                            .isInstanceOf(NullPointerException.class)
                            .hasMessage(parameter.getName());
                      });
                }));
  }

  /** Counts, lengths, offsets and indices: none of them may be negative. */
  @TestFactory
  Stream<DynamicTest> negativeNumbersAreRefusedAtOnce() {
    return methods()
        .flatMap(method ->
            Stream.iterate(0, at -> at < method.getParameterCount(), at -> at + 1)
                .filter(at -> method.getParameterTypes()[at].isPrimitive())
                .filter(at -> !method.getName().equals("raising")) // a word is any number
                .map(at ->
                    DynamicTest.dynamicTest(
                        name(method) + " " + at,
                        () -> {
                          Object[] arguments = arguments(method);
                          boolean isInt = method.getParameterTypes()[at] == int.class;
                          arguments[at] = isInt ? (Object) (-1) : (Object) (-1L);
                          assertThatThrownBy(() -> call(method, arguments))
                              .isInstanceOfAny(
                                  IllegalArgumentException.class, IndexOutOfBoundsException.class);
                        })));
  }

  /** On an engine that has closed nothing is thrown, and everything ends at once. */
  @TestFactory
  Stream<DynamicTest> aClosedEngineIsToldByASignal() {
    return methods()
        .filter(method -> Publisher.class.isAssignableFrom(method.getReturnType()))
        .filter(method -> method.getDeclaringClass() != TransferEngineBuilder.class)
        .map(method ->
            DynamicTest.dynamicTest(
                name(method),
                () -> {
                  if (!hand.engine().isClosed()) {
                    hand.probe(hand.engine().close());
                    hand.turn();
                  }
                  Publisher<?> publisher = (Publisher<?>) call(method, arguments(method));
                  Probe<?> probe = hand.probe(publisher);
                  hand.turn();
                  assertThat(probe.awaitEnd(0)).as("whether it has ended").isTrue();
                }));
  }
}
