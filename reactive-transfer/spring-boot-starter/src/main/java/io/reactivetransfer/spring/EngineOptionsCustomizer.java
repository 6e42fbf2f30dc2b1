package io.reactivetransfer.spring;

import io.reactivetransfer.EngineOptions;

/**
 * Sets options that are no properties, such as the signal scheduler or a recorder, or changes those
 * that are: a bean, of which there may be several, called in their order.
 */
@FunctionalInterface
public interface EngineOptionsCustomizer {

  /**
   * Called once for each engine before it is opened, with what its properties say. What it throws
   * fails the start.
   *
   * @param engine the name of the engine
   * @param options what it will be opened with; a recorder that is set here is told everything
   *     before all others
   */
  void customize(String engine, EngineOptions.Builder options);
}
