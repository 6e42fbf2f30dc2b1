package io.reactivetransfer.libfabric;

/**
 * An opened endpoint.
 *
 * @param fid for libfabric
 * @param name its address, by which others reach it
 * @param queue where its completions come
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Endpoint(long fid, byte[] name, CompletionQueue queue) {}
