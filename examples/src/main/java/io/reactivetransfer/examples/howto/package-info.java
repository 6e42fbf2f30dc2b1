/**
 * Short programs, one purpose each, to copy from: docs/examples.md lists them with what they print.
 * Each is whole in one file and one process, checks its own result and closes what it has opened.
 * Not null-marked, unlike most packages, for the reason that {@code
 * io.reactivetransfer.examples.first} gives.
 */
package io.reactivetransfer.examples.howto;
