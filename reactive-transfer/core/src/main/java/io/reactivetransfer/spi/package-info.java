/** What a backend implements. */
@NullMarked
package io.reactivetransfer.spi;

import org.jspecify.annotations.NullMarked;
