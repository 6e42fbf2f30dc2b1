/**
 * The machinery behind the API.
 *
 * <p>Start with {@link io.reactivetransfer.engine.TransferEngineBuilder}, the one class that users
 * see. Then follow one write down: {@code DefaultTransferEngine.submit} makes a {@code
 * TransferFlux}; each subscription is a {@code Submission}, which hands transfers to the {@code
 * Worker}; the worker turns each into a {@code Flight}, the {@code NicGroup} cuts it by {@code
 * Sharding} and posts the pieces to the domains. Completions come back through the worker's {@code
 * poll} to the flight, from there to the submission, and leave on the signal scheduler. At the
 * target the worker puts what arrives into the {@code ImmTable}, where {@code Claim}s wait.
 *
 * <p>A {@code Worker} and all that it holds belong to one thread; what other threads want of it
 * goes through its command queue. This package knows no backend, makes no native call, and takes
 * time and chance from its {@link io.reactivetransfer.spi.EngineEnvironment} only.
 */
@NullMarked
package io.reactivetransfer.engine;

import org.jspecify.annotations.NullMarked;
