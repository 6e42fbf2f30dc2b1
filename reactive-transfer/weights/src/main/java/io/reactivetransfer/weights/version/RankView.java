package io.reactivetransfer.weights.version;

import org.jspecify.annotations.Nullable;

/** What a controller knows of one rank: the last report that it has of it. */
final class RankView {

  final String name;
  private @Nullable Report last;

  /** Whether it was lost since it was heard. */
  boolean isLost;

  /** Why, for people; empty if nobody knows. */
  private String lossText = "";

  RankView(String name) {
    this.name = name;
  }

  /** Takes a report; false if it is late. */
  boolean take(Report report) {
    boolean newer =
        last == null || !last.member().equals(report.member()) || report.number() > last.number();
    if (newer) {
      last = report;
      isLost = report.state() == RankState.CLOSED;
    }
    return newer;
  }

  /** It cannot be reached. */
  void lost(String why) {
    isLost = true;
    if (!why.isEmpty()) { // that its state has ended as well says no more than what came before
      lossText = why;
    }
  }

  /** That it is lost, and why, if that is known. */
  String loss() {
    if (last != null && last.state() == RankState.CLOSED) {
      return "was closed";
    }
    return lossText.isEmpty() ? "is lost" : "is lost: " + lossText;
  }

  @Nullable Report last() {
    return last;
  }

  /** The last report, if it was made in this time and answers this question. */
  @Nullable Report in(Term term, long question) {
    Report report = last;
    return report != null && report.heard().equals(term) && report.question() >= question
        ? report
        : null;
  }

  /** What it says of an update, if it was said in this time by the incarnation that is meant. */
  Phase phase(UpdateNumber update, MemberId member, Term term) {
    Report report = last;
    return report != null && report.heard().equals(term) && report.member().equals(member)
        ? report.phase(update)
        : Phase.NEVER;
  }

  /** Whether the incarnation that is meant was replaced by another one. */
  boolean isReplaced(MemberId member) {
    return last != null && !last.member().equals(member);
  }
}
