package io.reactivetransfer.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivetransfer.spi.BackendException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class ProcessEnvironmentTest {

  private static final int EINVAL = 22;

  @Test
  void setsWhatIsNotSet() {
    String name = "REACTIVE_TRANSFER_TEST_UNSET";
    assertThat(ProcessEnvironment.get(name)).isEmpty();
    assertThat(ProcessEnvironment.setIfAbsent(name, "first")).isTrue();
    assertThat(ProcessEnvironment.setIfAbsent(name, "second")).isFalse();
    assertThat(ProcessEnvironment.get(name)).hasValue("first");
    assertThat(System.getenv(name)).as("the copy that Java has").isNull();
  }

  @Test
  void leavesAnEmptyValueAlone() {
    String name = "REACTIVE_TRANSFER_TEST_EMPTY";
    assertThat(ProcessEnvironment.setIfAbsent(name, "")).isTrue();
    assertThat(ProcessEnvironment.setIfAbsent(name, "value")).isFalse();
    assertThat(ProcessEnvironment.get(name)).hasValue("");
  }

  @Test
  void seesWhatTheProcessWasStartedWith() {
    assertThat(ProcessEnvironment.get("PATH")).hasValue(System.getenv("PATH"));
  }

  @Test
  void refusesNamesThatNoVariableHas() {
    for (String name : new String[] {"", "A=B"}) {
      assertThatExceptionOfType(BackendException.class)
          .isThrownBy(() -> ProcessEnvironment.setIfAbsent(name, "value"))
          .withMessageContaining("cannot set '" + name + "'")
          .withMessageContaining("EINVAL")
          .satisfies(e -> assertThat(e.code()).isEqualTo(EINVAL));
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ProcessEnvironment.setIfAbsent("A", "b\0c"))
        .withMessageContaining("index 1");
  }
}
