/**
 * Meters in a registry of Micrometer: {@link io.reactivetransfer.micrometer.EngineMeters}, of
 * engines, their NICs and their peers, is a recorder that an engine is opened with, and {@link
 * io.reactivetransfer.micrometer.KvMeters} one for the hand-over of KV caches.
 */
@NullMarked
package io.reactivetransfer.micrometer;

import org.jspecify.annotations.NullMarked;
