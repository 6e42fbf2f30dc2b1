/**
 * Parts of an example that are asked what they are to do, each in a process of its own if it can
 * be: a {@link io.reactivetransfer.examples.worker.Worker}, and how whoever asks it sees it, as
 * {@link io.reactivetransfer.examples.worker.Asked}.
 */
@NullMarked
package io.reactivetransfer.examples.worker;

import org.jspecify.annotations.NullMarked;
