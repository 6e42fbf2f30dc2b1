package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What forwards to another object forwards every method of its interface, those with a default,
 * too: else the object beneath is not asked, and what it does otherwise than the default is lost
 * without a word.
 */
class ForwardingTest {

  @ParameterizedTest
  @ValueSource(
      classes = {
        ForwardingAccess.class,
        ForwardingBackend.class,
        ForwardingBuffer.class,
        ForwardingControl.class,
        ForwardingControlSink.class,
        ForwardingDomain.class
      })
  void everyMethodOfTheInterfaceIsForwarded(Class<?> type) {
    List<String> declared = Arrays.stream(type.getDeclaredMethods()).map(this::signature).toList();
    assertThat(Stream.of(type.getInterfaces()).flatMap(each -> Arrays.stream(each.getMethods())))
        .isNotEmpty()
        .filteredOn(method -> !Modifier.isStatic(method.getModifiers()))
        .extracting(this::signature)
        .isSubsetOf(declared);
  }

  private String signature(Method method) {
    return method.getName() + Arrays.toString(method.getParameterTypes());
  }
}
