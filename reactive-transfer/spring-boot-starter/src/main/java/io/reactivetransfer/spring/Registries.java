package io.reactivetransfer.spring;

/**
 * What gives an application its registries of Micrometer: what looks for one comes after it. By
 * name, since it may not be on the class path.
 */
final class Registries {

  /** Of meters. */
  static final String METERS =
      "org.springframework.boot.micrometer.metrics.autoconfigure"
          + ".CompositeMeterRegistryAutoConfiguration";

  /** Of observations. */
  static final String OBSERVATIONS =
      "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration";

  private Registries() {}
}
