package io.reactivetransfer.libfabric;

/**
 * A write that failed and is to be reported.
 *
 * @param token of the engine
 * @param code an errno, or 0
 * @param text what happened
 */
record Failure(long token, int code, String text) {}
