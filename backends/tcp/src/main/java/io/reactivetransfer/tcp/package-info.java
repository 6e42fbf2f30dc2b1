/** The backend over TCP sockets. */
@NullMarked
package io.reactivetransfer.tcp;

import org.jspecify.annotations.NullMarked;
