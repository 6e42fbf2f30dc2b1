/**
 * What native code shares. Today that is one thing, tying threads to CPUs: start with {@link
 * io.reactivetransfer.ffm.LinuxCpuPinning}, then {@link io.reactivetransfer.ffm.ffi.LinuxLibc},
 * below which the native calls are.
 */
@NullMarked
package io.reactivetransfer.ffm;

import org.jspecify.annotations.NullMarked;
