/**
 * The example {@code jlama}: an inference engine whose prompts are computed by one process and
 * continued by another. Read {@link io.reactivetransfer.examples.jlama.PrefillRole} and {@link
 * io.reactivetransfer.examples.jlama.DecodeRole} for how the library is used, and the package
 * {@code engine} for what was there before; the rest is options, processes and figures.
 */
@NullMarked
package io.reactivetransfer.examples.jlama;

import org.jspecify.annotations.NullMarked;
