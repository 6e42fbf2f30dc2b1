package io.reactivetransfer.config;

import io.reactivetransfer.control.ListeningBuilder;
import java.util.List;

/** How properties say that connections are encrypted. */
public interface Encryption {

  /** The names of its properties; the first says whether there is any encryption. */
  List<String> properties();

  /**
   * Encrypts, if that was set.
   *
   * @param builder the backend's
   * @throws EngineConfigurationException if a property is refused
   */
  void encrypt(ListeningBuilder<?> builder, PropertySource from, PropertyCheck check);
}
