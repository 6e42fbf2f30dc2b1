package io.reactivetransfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every recorder is told everything, once, whatever the others do. */
class RecorderChainTest {

  private final List<String> told = new ArrayList<>();
  private final EngineId engine = new EngineId(1, 2);

  private final EngineRecorder last =
      new EngineRecorder() {
        @Override
        public void defect(EngineId engine, String text) {
          told.add(text);
        }
      };

  private static EngineRecorder throwing(RuntimeException failure) {
    return new EngineRecorder() {
      @Override
      public void defect(EngineId engine, String text) {
        throw failure;
      }
    };
  }

  private static EngineRecorder throwing(Error failure) {
    return new EngineRecorder() {
      @Override
      public void defect(EngineId engine, String text) {
        throw failure;
      }
    };
  }

  @Test
  void whateverIsThrownKeepsNothingFromOthers() {
    Error first = new NoClassDefFoundError("the first");
    RuntimeException second = new IllegalStateException("the second");
    EngineRecorder chain = throwing(first).andThen(throwing(second)).andThen(last);
    assertThatThrownBy(() -> chain.defect(engine, "hello")).isSameAs(second);
    assertThat(told).containsExactly("hello");
  }

  @Test
  void whoIsThereTwiceIsToldOnce() {
    EngineRecorder behind = throwing(new IllegalStateException("behind")).andThen(last);
    EngineRecorder chain = last.andThen(EngineRecorder.NONE).andThen(last).andThen(behind);
    assertThatThrownBy(() -> chain.defect(engine, "hello")).hasMessage("behind");
    assertThat(told).containsExactly("hello");
  }

  @Test
  void isToldOfStreamsWhileOneOfThemWantsToBe() {
    EngineRecorder deaf =
        new EngineRecorder() {
          @Override
          public boolean isToldOfStreams() {
            return false;
          }
        };
    EngineRecorder alike =
        new EngineRecorder() {
          @Override
          public boolean isToldOfStreams() {
            return false;
          }
        };
    assertThat(deaf.andThen(alike).isToldOfStreams()).isFalse();
    assertThat(deaf.andThen(last).isToldOfStreams()).isTrue();
    assertThat(last.andThen(deaf).isToldOfStreams()).isTrue();
  }

  @Test
  void whatDoesNothingIsNotTold() {
    assertThat(EngineRecorder.NONE.andThen(last)).isSameAs(last);
    assertThat(last.andThen(EngineRecorder.NONE)).isSameAs(last);
  }

  @Test
  void everythingIsHandedOn() {
    for (Method method : EngineRecorder.class.getDeclaredMethods()) {
      if (!Modifier.isStatic(method.getModifiers()) && !method.getName().equals("andThen")) {
        assertThatCode(() ->
                RecorderChain.class.getDeclaredMethod(method.getName(), method.getParameterTypes()))
            .as("what hands on %s", method)
            .doesNotThrowAnyException();
      }
    }
  }
}
