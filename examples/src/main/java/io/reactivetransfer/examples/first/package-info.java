/**
 * The program in the README, as it stands there. Not null-marked, unlike all other packages: {@code
 * block()} may return null in general, and a first program should not have to say that here it does
 * not.
 */
package io.reactivetransfer.examples.first;
