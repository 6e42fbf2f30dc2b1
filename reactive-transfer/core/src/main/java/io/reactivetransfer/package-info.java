/** What a user holds: contracts and values. */
@NullMarked
package io.reactivetransfer;

import org.jspecify.annotations.NullMarked;
