/**
 * An inference engine as one finds it: a model of Jlama, keys and values in blocks of its own that
 * are counted by who holds them, and a cache of prefixes that several prompts share. It knows
 * nothing of transfers, and nothing here was bent for them: begin with {@link
 * io.reactivetransfer.examples.jlama.engine.InferenceEngine}.
 */
@NullMarked
package io.reactivetransfer.examples.jlama.engine;

import org.jspecify.annotations.NullMarked;
