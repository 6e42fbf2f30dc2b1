/**
 * Other processes, on this machine or on another one, that are spoken with in lines of text. Start
 * with {@link io.reactivetransfer.tools.process.LineChannel}; then a {@link
 * io.reactivetransfer.tools.process.Child} and what it sees as its {@link
 * io.reactivetransfer.tools.process.Parent}, and a {@link
 * io.reactivetransfer.tools.process.Connection} between two hosts.
 */
@NullMarked
package io.reactivetransfer.tools.process;

import org.jspecify.annotations.NullMarked;
