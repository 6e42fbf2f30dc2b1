/** The conformance kit for backends. */
@NullMarked
package io.reactivetransfer.tck;

import org.jspecify.annotations.NullMarked;
