package io.reactivetransfer.weights.version;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.Imm;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.TraceContext;
import io.reactivetransfer.weights.internal.MessageFormatException;
import io.reactivetransfer.weights.internal.MessageText;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class VersionCodecTest {

  private static final Term TERM = new Term(3, 0xabcdefL);
  private static final UpdateNumber UPDATE = UpdateNumber.of(TERM, 5);
  private static final MemberId MEMBER = new MemberId("rank-0", 77);

  static final TraceContext TRACE = TraceContext.of(Map.of("a", "xy"));

  static final List<Command> COMMANDS =
      List.of(
          new Command.Query(TERM, 9),
          new Command.Prepare(
              TERM,
              77,
              UPDATE,
              12,
              UpdateMode.IN_PLACE,
              4_000,
              true,
              List.of(MEMBER, new MemberId("rank-ä", -1)),
              TRACE),
          new Command.Open(TERM, 77, UPDATE),
          new Command.Hold(TERM, 77, UPDATE),
          new Command.Commit(TERM, 77, new UpdateNumber(2, 1, 1)),
          new Command.Abort(TERM, 77, UPDATE, true, "a reason"));

  static final List<Report> REPORTS =
      List.of(
          new Report(
              MEMBER,
              1,
              Term.NONE,
              0,
              RankState.EMPTY,
              UpdateNumber.NONE,
              0,
              null,
              List.of(),
              UpdateNumber.NONE,
              ""),
          new Report(
              MEMBER,
              2,
              TERM,
              9,
              RankState.TORN,
              UpdateNumber.NONE,
              0,
              new Report.Pending(
                  UPDATE,
                  Phase.OPEN,
                  List.of(MEMBER),
                  new RankTarget("rank-0", List.of(region()), new Imm(99), 4_000)),
              List.of(
                  new Report.Ended(new UpdateNumber(2, 1, 1), true),
                  new Report.Ended(new UpdateNumber(1, 1, 1), false)),
              new UpdateNumber(1, 0, 1),
              "its controller is lost"),
          new Report(
              MEMBER,
              3,
              TERM,
              9,
              RankState.UNDECIDED,
              new UpdateNumber(2, 1, 1),
              11,
              new Report.Pending(UPDATE, Phase.HELD, List.of(), null),
              List.of(),
              UpdateNumber.NONE,
              ""));

  static final WriteOrder ORDER =
      new WriteOrder(
          UPDATE,
          12,
          List.of(
              new RankTarget("rank-0", List.of(region(), region()), new Imm(1 << 28), 4_000),
              new RankTarget("rank-1", List.of(region()), new Imm(7), 1)),
          TRACE);

  private static RegionDescriptor region() {
    PeerAddress owner = new PeerAddress("tcp", new EngineId(1, 2), new HostPort("rank-0", 7400));
    return new RegionDescriptor(owner, 1, 64, Access.REMOTE_WRITE, List.of(new byte[] {9, 9}));
  }

  static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  /** With the checksum that fits. */
  static byte[] sealed(byte[] bytes) {
    if (bytes.length < Integer.BYTES) {
      return bytes;
    }
    byte[] sealed = bytes.clone();
    ByteBuffer all = ByteBuffer.wrap(sealed);
    int end = sealed.length - Integer.BYTES;
    CRC32C checksum = new CRC32C();
    checksum.update(all.slice(0, end));
    all.putInt(end, (int) checksum.getValue());
    return sealed;
  }

  @Test
  void whatIsWrittenIsRead() {
    for (Command command : COMMANDS) {
      assertThat(VersionCodec.decodeCommand(VersionCodec.encode(command))).isEqualTo(command);
    }
    for (Report report : REPORTS) {
      assertThat(VersionCodec.decodeReport(VersionCodec.encode(report))).isEqualTo(report);
    }
    assertThat(WriteOrder.fromBytes(ORDER.toBytes())).isEqualTo(ORDER);
  }

  @Test
  void theBytesStayAsTheyAre() {
    assertThat(HexFormat.of().formatHex(bytes(VersionCodec.encode(COMMANDS.getFirst()))))
        .startsWith("0301" + "0000000000000003" + "0000000000abcdef" + "0000000000000009")
        .hasSize(2 * (2 + 3 * 8 + 4));
    assertThat(HexFormat.of().formatHex(bytes(VersionCodec.encode(COMMANDS.get(2)))))
        .startsWith(
            "0303"
                + "0000000000000003"
                + "0000000000abcdef"
                + "000000000000004d"
                + "0000000000000003"
                + "0000000000abcdef"
                + "0000000000000005");
    // Behind the mode and how many writes come it is said whether sums do, and then of how many
    // ranks it is.
    assertThat(HexFormat.of().formatHex(bytes(VersionCodec.encode(COMMANDS.get(1)))))
        .contains("03" + "0000000000000fa0" + "01" + "00000002");
    // What a tracer sends along is the last field of what begins an update.
    String trace = "00000006" + "0161" + "0002" + "7879";
    assertThat(HexFormat.of().formatHex(bytes(VersionCodec.encode(COMMANDS.get(1)))))
        .matches("0302.*" + trace + "[0-9a-f]{8}");
    assertThat(HexFormat.of().formatHex(bytes(ORDER.toBytes())))
        .matches("0308.*" + trace + "[0-9a-f]{8}");
  }

  @Test
  void aTraceContextThatIsNoneIsRefused() {
    byte[] bytes = bytes(VersionCodec.encode(COMMANDS.get(1)));
    bytes[bytes.length - 5] = '\n'; // the last character of its value
    assertThatThrownBy(() -> VersionCodec.decodeCommand(ByteBuffer.wrap(sealed(bytes))))
        .isInstanceOf(MessageFormatException.class)
        .hasMessageContaining("not a trace context: expected visible US-ASCII");
  }

  @Test
  void whatATracerSendsAlongTakesNoRanksTheirRoom() {
    Command.Prepare prepare = (Command.Prepare) COMMANDS.get(1);
    assertThat(VersionCodec.bytesBesideTrace(prepare))
        .isEqualTo(VersionCodec.encode(prepare).remaining() - TRACE.encoded().remaining());
    assertThat(TraceContext.MAX_BYTES).isLessThan(VersionCodec.BESIDE_MEMBERS);
  }

  @Test
  void codesAreOfOneEach() {
    for (Phase phase : Phase.values()) {
      assertThat(Phase.of(phase.code)).isEqualTo(phase);
    }
    for (RankState state : RankState.values()) {
      assertThat(RankState.of(state.code)).isEqualTo(state);
    }
    for (UpdateMode mode : UpdateMode.values()) {
      assertThat(UpdateMode.of(mode.code)).isEqualTo(mode);
    }
  }

  @Test
  void whatIsCutIsRefused() {
    for (Command command : COMMANDS) {
      byte[] whole = bytes(VersionCodec.encode(command));
      for (int length = 0; length < whole.length; length++) {
        byte[] cut = Arrays.copyOf(whole, length);
        assertThatThrownBy(() -> VersionCodec.decodeCommand(ByteBuffer.wrap(cut)))
            .isInstanceOf(MessageFormatException.class)
            .hasMessageContaining("expected");
        assertThatThrownBy(() -> VersionCodec.decodeCommand(ByteBuffer.wrap(sealed(cut))))
            .isInstanceOf(MessageFormatException.class);
      }
    }
  }

  @Test
  void anotherVersionIsNamed() {
    byte[] bytes = bytes(VersionCodec.encode(COMMANDS.getFirst()));
    bytes[0] = 9;
    assertThatThrownBy(() -> VersionCodec.decodeCommand(ByteBuffer.wrap(sealed(bytes))))
        .isInstanceOf(MessageFormatException.class)
        .hasMessage(
            "not a message of weights: expected version 3, got version 9; let all processes run the"
                + " same release")
        .satisfies(e -> assertThat(((MessageFormatException) e).isOtherVersion).isTrue());
    // What only looks like it is nothing at all.
    assertThatThrownBy(() -> VersionCodec.decodeCommand(ByteBuffer.wrap(bytes)))
        .satisfies(e -> assertThat(((MessageFormatException) e).isOtherVersion).isFalse());
  }

  @Test
  void longTextsAreCutInWholeCharacters() {
    String text = "x" + "ä".repeat(MessageText.MAX_TEXT_BYTES) + "\n";
    Command.Abort abort = new Command.Abort(TERM, 1, UPDATE, false, text);
    Command read = VersionCodec.decodeCommand(VersionCodec.encode(abort));
    assertThat(((Command.Abort) read).reason())
        .isEqualTo("x" + "ä".repeat((MessageText.MAX_TEXT_BYTES - 1) / 2));
  }

  @Test
  void namesThatCannotBeShownAreRefused() {
    for (String name : List.of("", "a\u001b[2J", "\ud800", "n".repeat(256))) {
      assertThatThrownBy(() -> MessageText.requireName(name))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("expected ");
    }
  }
}
