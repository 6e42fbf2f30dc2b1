package io.reactivetransfer.spring;

import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The engines of an application: by their names, or one, called {@code default}, whose properties
 * stand here. A property that is not known fails the start.
 */
@ConfigurationProperties(prefix = ReactiveTransferProperties.PREFIX, ignoreUnknownFields = false)
public class ReactiveTransferProperties extends EngineProperties {

  /** What the names of all properties begin with. */
  public static final String PREFIX = "reactive-transfer";

  /** The name of the engine whose properties stand here. */
  public static final String DEFAULT_NAME = "default";

  /** Whether engines are opened; by default they are. */
  private boolean enabled = true;

  /** Engines by their names. One engine alone may have its properties without a name. */
  private Map<String, EngineProperties> engines = new LinkedHashMap<>();

  public boolean isEnabled() {
    return enabled;
  }

  public void setEnabled(boolean enabled) {
    this.enabled = enabled;
  }

  public Map<String, EngineProperties> getEngines() {
    return engines;
  }

  public void setEngines(Map<String, EngineProperties> engines) {
    this.engines = engines;
  }

  /** The properties of the engine of this name. */
  EngineProperties of(String name) {
    return engines.getOrDefault(name, this);
  }

  /** What the names of the properties of the engine of this name begin with. */
  String prefixOf(String name) {
    return engines.containsKey(name) ? PREFIX + ".engines." + name : PREFIX;
  }
}
