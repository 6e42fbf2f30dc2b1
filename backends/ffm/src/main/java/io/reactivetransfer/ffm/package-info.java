/**
 * What native code shares.
 *
 * <p>For backends that are written against a library: {@link io.reactivetransfer.ffm.NativeLibrary}
 * loads it, {@link io.reactivetransfer.ffm.ProcessEnvironment} sets what it reads from the
 * environment before, {@link io.reactivetransfer.ffm.SignalHandlers} puts back what it took from
 * the JVM, {@link io.reactivetransfer.ffm.Errno} names its errors, {@link
 * io.reactivetransfer.ffm.NumaNodes} says what is near to its NICs, {@link
 * io.reactivetransfer.ffm.MemoryAdvice} tells the kernel of their memory, and {@link
 * io.reactivetransfer.ffm.LookClock} counts no time in which a NIC was not polled.
 *
 * <p>For engines, as services: {@link io.reactivetransfer.ffm.LinuxCpuPinning} ties threads to
 * CPUs, and {@link io.reactivetransfer.ffm.LinuxNicWaits} lets them sleep until a NIC has
 * something.
 *
 * <p>The native calls are below, in {@link io.reactivetransfer.ffm.ffi}.
 */
@NullMarked
package io.reactivetransfer.ffm;

import org.jspecify.annotations.NullMarked;
