/**
 * The conformance kit across processes: {@link io.reactivetransfer.tck.process.TwoProcesses} puts
 * every second engine's NICs into a process of their own. And what tests of a backend's own need
 * that kill or stop a peer: {@link io.reactivetransfer.tck.process.EngineProcess}.
 */
@NullMarked
package io.reactivetransfer.tck.process;

import org.jspecify.annotations.NullMarked;
