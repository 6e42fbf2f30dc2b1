/**
 * A short program with Spring Boot, to copy from: docs/examples.md lists it with what it prints.
 * Not below the package of the example {@code spring}, whose scan would find it, and not
 * null-marked, for the reason that {@code io.reactivetransfer.examples.first} gives.
 */
package io.reactivetransfer.examples.beans;
