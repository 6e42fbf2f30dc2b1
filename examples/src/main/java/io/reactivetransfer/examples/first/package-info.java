/**
 * The programs in the README, docs/kv-cache.md and docs/weights.md, as they stand there. Not
 * null-marked, unlike all other packages: {@code block()} may return null in general, and a first
 * program should not have to say that here it does not.
 */
package io.reactivetransfer.examples.first;
