package io.reactivetransfer.spring;

import io.reactivetransfer.EngineRecorder;

/** Makes a recorder for each engine, where it is to know the engine's name. */
@FunctionalInterface
interface EngineRecorderFactory {

  /** A recorder for the engine of this name. */
  EngineRecorder recorderOf(String engine);
}
