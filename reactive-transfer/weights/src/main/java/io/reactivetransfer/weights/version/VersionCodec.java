package io.reactivetransfer.weights.version;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.TraceContext;
import io.reactivetransfer.weights.internal.MessageFormatException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The bytes of commands, reports and orders: one byte for the version, one for the kind, the
 * fields, and the CRC-32C of all before it. All numbers are big-endian.
 */
final class VersionCodec {

  static final int VERSION = 3;

  /** What controllers say to ranks. */
  static final MessageChannel COMMANDS = new MessageChannel(20);

  /** What ranks say to controllers. */
  static final MessageChannel REPORTS = new MessageChannel(21);

  /** Ranks of one update. */
  static final int MAX_MEMBERS = 4_096;

  /** Regions of one buffer. */
  static final int MAX_REGIONS = 1_024;

  /**
   * Bytes of the longest message that ranks of an update leave free: who has voted names all of
   * them in a report, beside all else that is in one; and room for what a tracer sends along.
   */
  static final int BESIDE_MEMBERS = 4_096;

  private static final int MAX_DESCRIPTOR_BYTES = 0xffff;

  private static final int QUERY = 1;
  private static final int PREPARE = 2;
  private static final int OPEN = 3;
  private static final int HOLD = 4;
  private static final int COMMIT = 5;
  private static final int ABORT = 6;
  private static final int REPORT = 7;
  private static final int ORDER = 8;

  private static final int NUMBER_BYTES = 3 * Long.BYTES;
  private static final int MEMBER_BYTES = 2 + Long.BYTES;

  private VersionCodec() {}

  static ByteBuffer encode(Command command) {
    return switch (command) {
      case Command.Query query ->
          new VersionWriter(QUERY).term(query.term()).i64(query.question()).sealed();
      case Command.Prepare prepare -> {
        VersionWriter out = begin(PREPARE, prepare);
        out.i64(prepare.version()).u8(prepare.mode().code).i64(prepare.arrivals());
        out.flag(prepare.hasSums());
        out.i32(prepare.members().size());
        prepare.members().forEach(out::member);
        yield out.traceContext(prepare.traceContext()).sealed();
      }
      case Command.Open open -> begin(OPEN, open).sealed();
      case Command.Hold hold -> begin(HOLD, hold).sealed();
      case Command.Commit commit -> begin(COMMIT, commit).sealed();
      case Command.Abort abort ->
          begin(ABORT, abort).flag(abort.discard()).text(abort.reason()).sealed();
    };
  }

  /**
   * How long the message that begins an update is, apart from what a tracer sends along: whether an
   * update fits does not depend on that, for which there is room beside its ranks.
   */
  static int bytesBesideTrace(Command.Prepare prepare) {
    return encode(prepare).remaining() - prepare.traceContext().encoded().remaining();
  }

  /** What is said of an engine whose messages are too short for any update. */
  static String tooShort(String whose, int bytes, EngineOptions options) {
    return "expected messages of at least "
        + bytes
        + " bytes on the engine of "
        + whose
        + " (EngineOptions.maxMessageBytes), got "
        + options.maxMessageBytes();
  }

  /**
   * How long messages of a rank have to be at least, or no update ever ends: one that begins an
   * update of this rank alone, with what must be free beside it, and one that says where to write.
   */
  static int leastBytes(String rank, List<RegionDescriptor> regions) {
    MemberId self = new MemberId(rank, 1);
    Command.Prepare prepare =
        new Command.Prepare(
            Term.NONE,
            1,
            UpdateNumber.NONE,
            0,
            UpdateMode.IN_PLACE,
            1,
            false,
            List.of(self),
            TraceContext.NONE);
    Report.Pending open =
        new Report.Pending(
            UpdateNumber.NONE,
            Phase.OPEN,
            List.of(self),
            new RankTarget(rank, regions, Imm.of(0), 1));
    Report report =
        new Report(
            self,
            1,
            Term.NONE,
            0,
            RankState.EMPTY,
            UpdateNumber.NONE,
            0,
            open,
            List.of(),
            UpdateNumber.NONE,
            "");
    return Math.max(BESIDE_MEMBERS + bytesBesideTrace(prepare), encode(report).remaining());
  }

  private static VersionWriter begin(int kind, Command.OfUpdate command) {
    return new VersionWriter(kind)
        .term(command.term())
        .i64(command.incarnation())
        .update(command.update());
  }

  static ByteBuffer encode(Report report) {
    VersionWriter out = new VersionWriter(REPORT);
    out.member(report.member()).i64(report.number()).term(report.heard()).i64(report.question());
    out.u8(report.state().code).update(report.update()).i64(report.version());
    Report.Pending pending = report.pending();
    out.flag(pending != null);
    if (pending != null) {
      out.update(pending.update()).u8(pending.phase().code).i32(pending.members().size());
      pending.members().forEach(out::member);
      RankTarget target = pending.target();
      out.flag(target != null);
      if (target != null) {
        write(target, out);
      }
    }
    out.i32(report.ended().size());
    report.ended().forEach(end -> out.update(end.update()).flag(end.flipped()));
    return out.update(report.forgotten()).text(report.reason()).sealed();
  }

  private static void write(RankTarget target, VersionWriter out) {
    out.i32(target.imm().value()).i64(target.arrivals()).i32(target.regions().size());
    target.regions().forEach(region -> out.bytes(region.toBytes()));
  }

  static ByteBuffer encode(WriteOrder order) {
    VersionWriter out = new VersionWriter(ORDER);
    out.update(order.update()).i64(order.version()).i32(order.targets().size());
    for (RankTarget target : order.targets()) {
      write(target, out.name(target.rank()));
    }
    return out.traceContext(order.traceContext()).sealed();
  }

  /**
   * Reads what a controller has trainers do out of bytes that may be anything.
   *
   * @throws MessageFormatException if they are anything else
   */
  static WriteOrder decodeOrder(ByteBuffer bytes) {
    VersionReader in = new VersionReader(bytes);
    in.u8("kind", ORDER, ORDER);
    UpdateNumber update = in.update();
    long version = in.i64("version", 0);
    List<RankTarget> targets =
        in.list("targets", MAX_MEMBERS, MEMBER_BYTES, () -> target(in, in.name()));
    TraceContext traceContext = in.traceContext();
    in.end();
    return new WriteOrder(update, version, targets, traceContext);
  }

  /**
   * Reads a command out of bytes that may be anything.
   *
   * @throws MessageFormatException if they are anything else
   */
  static Command decodeCommand(ByteBuffer bytes) {
    VersionReader in = new VersionReader(bytes);
    int kind = in.u8("kind", QUERY, ABORT);
    Term term = in.term();
    Command command =
        kind == QUERY ? new Command.Query(term, in.i64("question", 0)) : ofUpdate(in, kind, term);
    in.end();
    return command;
  }

  private static Command ofUpdate(VersionReader in, int kind, Term term) {
    long incarnation = in.i64("incarnation", Long.MIN_VALUE);
    if (incarnation == 0) {
      throw in.bad("an incarnation", "0");
    }
    UpdateNumber update = in.update();
    if (update.term().compareTo(term) > 0) {
      throw in.bad("an update of term " + term + " or before", String.valueOf(update));
    }
    return switch (kind) {
      case PREPARE -> prepare(in, term, incarnation, update);
      case OPEN -> new Command.Open(term, incarnation, update);
      case HOLD -> new Command.Hold(term, incarnation, update);
      case COMMIT -> new Command.Commit(term, incarnation, update);
      default ->
          new Command.Abort(term, incarnation, update, in.flag("discard"), in.text("a reason"));
    };
  }

  private static Command.Prepare prepare(
      VersionReader in, Term term, long incarnation, UpdateNumber update) {
    if (!update.term().equals(term)) {
      throw in.bad("an update of term " + term, String.valueOf(update));
    }
    long version = in.i64("version", 0);
    UpdateMode mode = in.one("mode", UpdateMode::of);
    long arrivals = in.i64("arrivals", 1, WeightsUpdate.MAX_ARRIVALS);
    boolean hasSums = in.flag("checksums");
    List<MemberId> members = members(in);
    return new Command.Prepare(
        term, incarnation, update, version, mode, arrivals, hasSums, members, in.traceContext());
  }

  private static List<MemberId> members(VersionReader in) {
    List<MemberId> members = in.list("ranks", MAX_MEMBERS, MEMBER_BYTES, in::member);
    Set<String> names = new HashSet<>();
    for (MemberId member : members) {
      if (!names.add(member.name())) {
        throw in.bad("each rank once", "rank " + member.name() + " twice");
      }
    }
    return members;
  }

  /**
   * Reads a report out of bytes that may be anything.
   *
   * @throws MessageFormatException if they are anything else
   */
  static Report decodeReport(ByteBuffer bytes) {
    VersionReader in = new VersionReader(bytes);
    in.u8("kind", REPORT, REPORT);
    MemberId member = in.member();
    long number = in.i64("number", 0);
    Term heard = in.term();
    long question = in.i64("question", 0);
    RankState state = in.one("state", RankState::of);
    UpdateNumber update = in.update();
    long version = in.i64("version", 0);
    Report.Pending pending = in.flag("pending") ? pending(in, member) : null;
    List<Report.Ended> ended =
        in.list(
            "updates that are over",
            Report.MAX_ENDED,
            NUMBER_BYTES + 1,
            () -> new Report.Ended(in.update(), in.flag("flipped")));
    UpdateNumber forgotten = in.update();
    String reason = in.text("a reason");
    in.end();
    return new Report(
        member, number, heard, question, state, update, version, pending, ended, forgotten, reason);
  }

  private static Report.Pending pending(VersionReader in, MemberId member) {
    UpdateNumber update = in.update();
    Phase phase = in.one("phase", Phase::of);
    if (!phase.isPending()) {
      throw in.bad("the phase of an update that is pending", String.valueOf(phase));
    }
    List<MemberId> members = members(in);
    RankTarget target = in.flag("target") ? target(in, member.name()) : null;
    if ((target != null) != (phase == Phase.OPEN)) {
      throw in.bad("where to write while it is open, and only then", "phase " + phase);
    }
    return new Report.Pending(update, phase, members, target);
  }

  private static RankTarget target(VersionReader in, String rank) {
    Imm imm = new Imm(in.i32("immediate", 0, Imm.MAX_VALUE));
    long arrivals = in.i64("arrivals", 1, WeightsUpdate.MAX_ARRIVALS);
    List<RegionDescriptor> regions =
        in.list(
            "regions",
            MAX_REGIONS,
            Integer.BYTES,
            () -> {
              byte[] form = in.bytes("a region", MAX_DESCRIPTOR_BYTES);
              return in.checked(() -> RegionDescriptor.fromBytes(form));
            });
    return new RankTarget(rank, regions, imm, arrivals);
  }
}
