/**
 * The engine.
 *
 * <p>Start with {@link io.reactivetransfer.engine.TransferEngineBuilder}, the one class that users
 * see. What it opens stands in rooms, packages below this one that are internal: {@code base},
 * {@code peers}, {@code memory}, {@code origin} and {@code target}; each knows those before it
 * only. Here is the turn, which knows all of them: {@code EngineOpening} opens NICs and has {@code
 * Parts} make the parts; {@code Worker} gives them their turns, on the thread of a {@code
 * NicThread} or a backend's own loop; {@code DefaultTransferEngine} is what users hold; {@code
 * Shutdown} closes.
 *
 * <p>What the parts hold belongs to one thread; what other threads want of it goes through one
 * command queue. The engine knows no backend, makes no native call, and takes time and chance from
 * its {@link io.reactivetransfer.spi.EngineEnvironment} only.
 */
@NullMarked
package io.reactivetransfer.engine;

import org.jspecify.annotations.NullMarked;
