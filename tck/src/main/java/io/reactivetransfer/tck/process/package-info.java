/**
 * The conformance kit across processes: {@link io.reactivetransfer.tck.process.TwoProcesses} puts
 * every second engine's NICs into a process of their own.
 */
@NullMarked
package io.reactivetransfer.tck.process;

import org.jspecify.annotations.NullMarked;
