package io.reactivetransfer.libfabric;

/**
 * Where others write: an endpoint, or one that listens for them.
 *
 * @param fid for libfabric
 * @param name its address, by which others reach it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Landing(long fid, byte[] name) {}
