package io.reactivetransfer.libfabric;

/**
 * An opened endpoint.
 *
 * @param fid for libfabric
 * @param name its address, by which others reach it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Endpoint(long fid, byte[] name) {}
