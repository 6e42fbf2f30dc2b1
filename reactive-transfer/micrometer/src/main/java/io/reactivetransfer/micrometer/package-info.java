/**
 * Meters in a registry of Micrometer: {@link io.reactivetransfer.micrometer.EngineMeters}, of
 * engines, their NICs and their peers, is a recorder that an engine is opened with; {@link
 * io.reactivetransfer.micrometer.KvMeters} is one for the hand-over of KV caches, {@link
 * io.reactivetransfer.micrometer.MoeMeters} for mixtures of experts, and {@link
 * io.reactivetransfer.micrometer.WeightsMeters} for updates of weights. {@link
 * io.reactivetransfer.micrometer.KvObservations} and {@link
 * io.reactivetransfer.micrometer.WeightsObservations} make hand-overs and updates observations, and
 * so spans of a trace.
 */
@NullMarked
package io.reactivetransfer.micrometer;

import org.jspecify.annotations.NullMarked;
