/** The backend within one JVM. */
@NullMarked
package io.reactivetransfer.loopback;

import org.jspecify.annotations.NullMarked;
