/**
 * Memory of NVIDIA's GPUs, through the driver API: {@link io.reactivetransfer.cuda.CudaAccess} for
 * engines, which find it by themselves, and {@link io.reactivetransfer.cuda.CudaMemory}, {@link
 * io.reactivetransfer.cuda.CudaWord}, {@link io.reactivetransfer.cuda.CudaStreams} and {@link
 * io.reactivetransfer.cuda.CudaIpc} for applications.
 *
 * <p>What calls the driver needs a platform thread: a virtual one is refused by a {@link
 * io.reactivetransfer.cuda.CudaException}.
 */
@NullMarked
package io.reactivetransfer.cuda;

import org.jspecify.annotations.NullMarked;
