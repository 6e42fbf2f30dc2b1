/** The machinery behind the API. */
@NullMarked
package io.reactivetransfer.engine;

import org.jspecify.annotations.NullMarked;
