package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Piece;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.SourceShare;
import io.reactivetransfer.weights.TargetShare;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What each byte is in each version: of what trainers have, and of what ranks must get. */
final class Contents {

  private final Model model;
  private final Map<Long, List<byte[][]>> sources = new HashMap<>();
  private final Map<Long, List<byte[][]>> targets = new HashMap<>();
  private final List<byte[][]> used = new ArrayList<>();

  Contents(Model model) {
    this.model = model;
    model
        .targets()
        .forEach(target -> {
          byte[][] memory = memory(target.rank());
          target
              .tensors()
              .forEach(share ->
                  share
                      .pieces()
                      .forEach(piece ->
                          put(
                              memory,
                              piece,
                              share.tensor().type(),
                              (version, row, column) -> -1,
                              0)));
          used.add(memory);
        });
  }

  /** Of a rank of the trainer, each of its regions. */
  byte[][] source(long version, int rank) {
    return sources.computeIfAbsent(version, this::sources).get(rank);
  }

  /** Of an inference rank, each of its regions; zero where nothing is written. */
  byte[][] target(long version, int rank) {
    return targets.computeIfAbsent(version, this::targets).get(rank);
  }

  /** Of an inference rank, each of its regions: zero where nothing may be written. */
  byte[][] used(int rank) {
    return used.get(rank);
  }

  private List<byte[][]> sources(long version) {
    List<byte[][]> all = new ArrayList<>();
    model
        .sources()
        .forEach(source -> {
          byte[][] memory = memory(source.rank());
          for (SourceShare share : source.tensors()) {
            Held held = model.held(share.tensor().name());
            for (Piece piece : share.pieces()) {
              put(memory, piece, share.tensor().type(), held::bits, version);
            }
          }
          all.add(memory);
        });
    return all;
  }

  private List<byte[][]> targets(long version) {
    List<byte[][]> all = new ArrayList<>();
    model
        .targets()
        .forEach(target -> {
          byte[][] memory = memory(target.rank());
          for (TargetShare share : target.tensors()) {
            Wanted wanted = model.wanted(share.tensor().name());
            for (Piece piece : share.pieces()) {
              put(memory, piece, share.tensor().type(), wanted.elements(), version);
            }
          }
          all.add(memory);
        });
    return all;
  }

  private static byte[][] memory(Rank rank) {
    byte[][] memory = new byte[rank.regions().size()][];
    for (int i = 0; i < memory.length; i++) {
      memory[i] = new byte[Math.toIntExact(rank.regions().get(i).bytes())];
    }
    return memory;
  }

  private static void put(
      byte[][] memory, Piece piece, DataType type, Wanted.Elements elements, long version) {
    int bytes = type.bits() / Byte.SIZE;
    ByteBuffer to = ByteBuffer.wrap(memory[piece.place().region()]).order(ByteOrder.LITTLE_ENDIAN);
    for (long row = 0; row < piece.box().size(0); row++) {
      for (long column = 0; column < piece.box().size(1); column++) {
        long element = row * piece.place().stride(0) + column * piece.place().stride(1);
        int at = Math.toIntExact(piece.place().offset() + element * bytes);
        int bits =
            elements.bits(version, piece.box().start(0) + row, piece.box().start(1) + column);
        switch (bytes) {
          case Integer.BYTES -> to.putInt(at, bits);
          case Short.BYTES -> to.putShort(at, (short) bits);
          default -> to.put(at, (byte) bits);
        }
      }
    }
  }
}
