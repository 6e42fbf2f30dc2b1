package io.reactivetransfer.weights.run;

import io.reactivetransfer.RemoteRegion;

/**
 * Where another rank of the trainer has what is gathered for it.
 *
 * @param region its temporaries
 */
record RemoteTemporaries(RemoteRegion region) {}
