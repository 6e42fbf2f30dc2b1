/** What examples show at the end: tables of figures, and pictures of what waits for what. */
@NullMarked
package io.reactivetransfer.examples.report;

import org.jspecify.annotations.NullMarked;
