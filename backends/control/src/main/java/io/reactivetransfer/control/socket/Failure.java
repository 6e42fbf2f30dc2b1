package io.reactivetransfer.control.socket;

/**
 * Why something did not come about.
 *
 * @param code one of {@link ErrorCode}, or a number that a newer peer sent
 * @param text what happened, where, and where known what to do
 */
public record Failure(int code, String text) {}
