package io.reactivetransfer;

/**
 * A watched word has changed; see {@link TransferEngine#watch}.
 *
 * @param previous the value that the subscriber was told last, or the one at the subscription
 * @param current the value now
 */
public record Change(long previous, long current) {}
