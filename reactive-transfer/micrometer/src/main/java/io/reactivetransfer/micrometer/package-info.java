/**
 * Meters of engines, their NICs and their peers, in a registry of Micrometer: {@link
 * io.reactivetransfer.micrometer.EngineMeters} is a recorder that an engine is opened with.
 */
@NullMarked
package io.reactivetransfer.micrometer;

import org.jspecify.annotations.NullMarked;
