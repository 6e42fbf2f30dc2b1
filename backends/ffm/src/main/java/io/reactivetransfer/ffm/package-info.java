/** What the native backends share. */
@NullMarked
package io.reactivetransfer.ffm;

import org.jspecify.annotations.NullMarked;
