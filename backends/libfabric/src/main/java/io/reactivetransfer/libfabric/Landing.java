package io.reactivetransfer.libfabric;

/**
 * Where others write: an endpoint, or connections that came for it.
 *
 * @param id the fid of the endpoint, or the number that connections come for
 * @param name by which others reach it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Landing(long id, byte[] name) {}
