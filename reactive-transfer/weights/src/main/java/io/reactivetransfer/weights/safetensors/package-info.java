/**
 * Files of weights in the safetensors format: mapped into memory and read in place, and written.
 *
 * <p>Begin with {@link io.reactivetransfer.weights.safetensors.SafetensorsFile}, or {@link
 * io.reactivetransfer.weights.safetensors.SafetensorsModel} for a model in several files with an
 * index.
 */
@NullMarked
package io.reactivetransfer.weights.safetensors;

import org.jspecify.annotations.NullMarked;
