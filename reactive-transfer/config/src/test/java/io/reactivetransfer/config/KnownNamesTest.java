package io.reactivetransfer.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What is known is what is asked for, and nothing else. */
class KnownNamesTest {

  /** Has nothing, and remembers what it was asked for. */
  private static final class Asked implements PropertySource {

    final Set<String> names = new TreeSet<>(Set.of("backend"));

    @Override
    public String text(String name) {
      names.add(name);
      return null;
    }

    @Override
    public Integer number(String name) {
      names.add(name);
      return null;
    }

    @Override
    public Long bytes(String name) {
      names.add(name);
      return null;
    }

    @Override
    public Duration duration(String name) {
      names.add(name);
      return null;
    }

    @Override
    public Path file(String name) {
      names.add(name);
      return null;
    }

    @Override
    public boolean flag(String name) {
      names.add(name);
      return false;
    }

    @Override
    public Map<String, List<String>> lists(String name) {
      names.add(name);
      return Map.of();
    }
  }

  @Test
  void eachIsAskedFor() {
    Asked asked = new Asked();
    PropertyCheck check = new PropertyCheck(EngineConfiguration.PREFIX);
    OptionSettings.read(asked, check);
    BackendProperties.listening("tcp", asked, new PemFiles(), _ -> {}, check);
    assertThat(asked.names).isEqualTo(KnownNames.all());
  }
}
