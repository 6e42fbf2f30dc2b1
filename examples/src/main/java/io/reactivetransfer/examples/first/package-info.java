/**
 * The programs in the README, docs/getting-started.md, docs/kv-cache.md, docs/weights.md and
 * docs/moe.md, as they stand there. Not null-marked, unlike all other packages: {@code block()} may
 * return null in general, and a first program should not have to say that here it does not.
 */
package io.reactivetransfer.examples.first;
