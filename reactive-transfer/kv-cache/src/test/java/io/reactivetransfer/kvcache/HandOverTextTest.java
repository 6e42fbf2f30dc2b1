package io.reactivetransfer.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.Exceptions;
import reactor.util.Logger;
import reactor.util.Loggers;

/** What is said of an end, where there is nothing to say or too much. */
class HandOverTextTest {

  @Test
  void anEndWithoutAReasonSaysThatThereIsNone() {
    assertThat(HandOverException.endOfPrefill(HandOverException.Reason.REFUSED, " "))
        .isEqualTo("prefill ended it (REFUSED): it did not say why");
  }

  @Test
  void ofSeveralFailuresTheFirstIsNamedAndTheOthersAreCounted() {
    RuntimeException first = new IllegalStateException("no page");
    RuntimeException both = Exceptions.multiple(first, new IllegalStateException("no tail"));
    assertThat(HandOverException.textOf(both)).isEqualTo("no page, and 1 more");
    assertThat(HandOverException.textOf(Exceptions.multiple(first))).isEqualTo("no page");
  }

  @Test
  void aWarningWithoutACauseSaysNothingOfOne() {
    Logger quiet = Loggers.getLogger("not.written");
    List<String> lines = new ArrayList<>();
    Logger log =
        (Logger)
            java.lang.reflect.Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Logger.class},
                (proxy, method, args) -> {
                  if (method.getName().equals("warn")) {
                    lines.add(args.length + " " + args[0]);
                    return null;
                  }
                  return method.invoke(quiet, args);
                });
    LogLimit limit = new LogLimit(log);
    limit.warn(() -> "one");
    limit.warn(() -> "two", new IllegalStateException("why"));
    assertThat(lines).containsExactly("1 one", "2 two");
  }
}
