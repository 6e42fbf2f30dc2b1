/**
 * What connections of an engine have in common, be they those of its control channel or those of
 * its NICs: how one ends and why, what strangers may cost, the numbers of errors. For this
 * project's own backends: it changes with them, and nobody else is to rely on it.
 */
@NullMarked
package io.reactivetransfer.control.socket;

import org.jspecify.annotations.NullMarked;
