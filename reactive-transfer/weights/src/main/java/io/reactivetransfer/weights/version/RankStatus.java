package io.reactivetransfer.weights.version;

/**
 * How it is with an inference rank.
 *
 * @param rank its name
 * @param state whether it serves, and why not
 * @param version what it serves, or would; 0 if it has none, which is also a version: {@code state}
 *     tells them apart
 * @param update the update that has written it; {@link UpdateNumber#NONE} if none has
 * @param reason why the last update was dropped here; empty if none was
 */
public record RankStatus(
    String rank, RankState state, long version, UpdateNumber update, String reason) {}
