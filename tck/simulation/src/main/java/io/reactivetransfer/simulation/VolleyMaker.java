package io.reactivetransfer.simulation;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Signal;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.simulation.network.Weather;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Makes random transfers of all kinds, each to ranges of its own. */
final class VolleyMaker {

  private static final int MAX_PAGES = 6;
  private static final int MAX_PARTS = 4;
  private static final int MAX_ROWS = 12;

  private final Node origin;
  private final TransferEngine engine;
  private final SplittableRandom random;
  private final World world;
  private final int imm;

  /** Whether some are not counted. */
  private boolean silent = true;

  private final List<Shot> shots = new ArrayList<>();
  private final Map<Count, Integer> arrivals = new LinkedHashMap<>();
  private final Set<Node> targets = new LinkedHashSet<>();

  private VolleyMaker(Node origin, TransferEngine engine, int imm, SplittableRandom random) {
    this.origin = origin;
    this.engine = engine;
    this.imm = imm;
    this.random = random;
    this.world = origin.world();
  }

  /**
   * A transfer; null if there is no room for one now.
   *
   * @param imm what it is counted under, if it is counted
   */
  static @Nullable Volley make(
      Node origin, TransferEngine engine, int imm, SplittableRandom random) {
    try {
      return new VolleyMaker(origin, engine, imm, random).make();
    } catch (TransferRejectedException closedMeanwhile) {
      return null;
    }
  }

  /** One that is counted. */
  static @Nullable Volley makeCounted(
      Node origin, TransferEngine engine, int imm, SplittableRandom random) {
    try {
      VolleyMaker maker = new VolleyMaker(origin, engine, imm, random);
      maker.silent = false;
      return maker.make();
    } catch (TransferRejectedException closedMeanwhile) {
      return null;
    }
  }

  private @Nullable Volley make() {
    int kind = random.nextInt(100);
    if (kind < 8) {
      return signal();
    }
    Plot source = pick(origin, true);
    MemoryRegion region = source == null ? null : source.region();
    if (source == null || region == null) {
      return null;
    }
    if (kind < 54) {
      return write(source, region, silent && kind < 22);
    }
    if (kind < 64) {
      return pages(source, region);
    }
    if (kind < 74) {
      return rows(source, region);
    }
    return kind < 86 ? aimed(source, region) : scatter(source, region);
  }

  private @Nullable Volley write(Plot source, MemoryRegion region, boolean uncounted) {
    int length = drawLength();
    RemoteSlice target = aim(length);
    int from = target == null ? -1 : source.reserve(length, random);
    if (target == null || from < 0) {
      return null;
    }
    fill(source, from);
    MemorySlice slice = region.slice(from, length);
    Transfer transfer;
    if (uncounted) {
      transfer = Write.of(slice, target);
    } else {
      transfer = WriteImm.of(slice, target, Imm.of(imm));
      count(targets.iterator().next(), 1);
    }
    return volley(transfer, source, from, length);
  }

  private @Nullable Volley pages(Plot source, MemoryRegion region) {
    int pages = 1 + random.nextInt(MAX_PAGES);
    int pageLength = 1 + random.nextInt(100);
    int stride = pageLength + random.nextInt(20);
    int length = stride * pages;
    int targetStride = pageLength + random.nextInt(20);
    RemoteSlice target = aim(targetStride * pages);
    int from = target == null ? -1 : source.reserve(length, random);
    if (target == null || from < 0) {
      return null;
    }
    int[] to = shuffled(pages);
    int[] of = shuffled(pages);
    Shot whole = shots.getFirst();
    byte[] bytes = whole.bytes();
    byte[] there = whole.plot().copy(whole.offset(), bytes.length);
    System.arraycopy(there, 0, bytes, 0, bytes.length); // what lies between the pages stays
    byte[] pool = source.copy(from, length);
    for (int page = 0; page < pages; page++) {
      System.arraycopy(pool, of[page] * stride, bytes, to[page] * targetStride, pageLength);
    }
    boolean counted = !silent || random.nextInt(4) > 0;
    PagedWrite transfer =
        PagedWrite.of(
            pageLength,
            new PagedWrite.Side<>(region.slice(from, length), PageList.of(of), stride),
            new PagedWrite.Side<>(target, PageList.of(to), targetStride),
            counted ? Imm.of(imm) : null);
    if (counted) {
      count(targets.iterator().next(), pages);
    }
    return volley(transfer, source, from, length);
  }

  /** Pages of rows, one page behind the other or each between the rows of the others. */
  private @Nullable Volley rows(Plot source, MemoryRegion region) {
    boolean sourceFree = world.forecast().weather().sourceFree();
    int pages = 1 + random.nextInt(MAX_PAGES);
    // where nobody knows what has come, pages of more than 8 pieces are rejected
    int count = 1 + random.nextInt(sourceFree ? 8 : MAX_ROWS);
    int rowLength = 1 + random.nextInt(sourceFree ? 16 : 30);
    int rowStride = rowLength + random.nextInt(9);
    int stride = rowStride * count + random.nextInt(20);
    boolean interleaved = random.nextBoolean();
    int shortStride = rowLength + random.nextInt(9);
    int targetRowStride = interleaved ? shortStride * pages : shortStride;
    int targetStride = interleaved ? shortStride : shortStride * count + random.nextInt(20);
    int length = stride * pages;
    RemoteSlice target = aim(Math.max(targetRowStride * count, targetStride * pages));
    int from = target == null ? -1 : source.reserve(length, random);
    if (target == null || from < 0) {
      return null;
    }
    int[] to = shuffled(pages);
    int[] of = shuffled(pages);
    Shot whole = shots.getFirst();
    byte[] bytes = whole.bytes();
    byte[] there = whole.plot().copy(whole.offset(), bytes.length);
    System.arraycopy(there, 0, bytes, 0, bytes.length); // what lies between the rows stays
    byte[] pool = source.copy(from, length);
    for (int page = 0; page < pages; page++) {
      for (int row = 0; row < count; row++) {
        int at = to[page] * targetStride + row * targetRowStride;
        System.arraycopy(pool, of[page] * stride + row * rowStride, bytes, at, rowLength);
      }
    }
    boolean counted = !silent || random.nextInt(4) > 0;
    PagedWrite transfer =
        PagedWrite.of(
            new PagedWrite.Rows(count, rowLength, rowStride, targetRowStride),
            new PagedWrite.Side<>(region.slice(from, length), PageList.of(of), stride),
            new PagedWrite.Side<>(target, PageList.of(to), targetStride),
            counted ? Imm.of(imm) : null);
    if (counted) {
      count(targets.iterator().next(), pages);
    }
    return volley(transfer, source, from, length);
  }

  /** Rows of a list, or one page of rows, by a write that was mostly used before. */
  private @Nullable Volley aimed(Plot source, MemoryRegion region) {
    Weather weather = world.forecast().weather();
    AimedWrite spare = origin.spares().take(region);
    Listing listing = Listing.draw(spare == null ? null : spare.list(), weather, random);
    if (!silent || random.nextInt(4) > 0) {
      listing.shorten(weather);
    }
    int length = listing.sourceExtent();
    RemoteSlice target = aim(listing.targetExtent());
    int from = target == null ? -1 : source.reserve(length, random);
    if (target == null || from < 0) {
      if (spare != null) {
        origin.spares().add(spare);
      }
      return null;
    }
    Shot whole = shots.getFirst();
    byte[] bytes = whole.bytes();
    byte[] there = whole.plot().copy(whole.offset(), bytes.length);
    boolean rejected = listing.isRejected(weather);
    if (rejected) {
      whole.plot().requireThere(whole.offset(), there, "nobody writes there"); // nor from now on
      shots.clear();
    } else {
      System.arraycopy(there, 0, bytes, 0, bytes.length); // what lies between the rows stays
      listing.gather(source.copy(from, length), bytes);
    }
    AimedWrite write = redirected(spare, region, target);
    listing.aim(write, from, (int) target.offset());
    count(targets.iterator().next(), rejected ? 0 : 1);
    Volley volley = volley(write, source, from, length);
    return rejected ? volley.neverTaken() : volley;
  }

  private AimedWrite redirected(@Nullable AimedWrite spare, MemoryRegion region, RemoteSlice to) {
    if (spare != null) {
      try {
        return spare.aim(0, 0, 0).redirect(to.region(), to.offset(), Imm.of(imm));
      } catch (IllegalStateException underWay) {
        world.referee().violated("a write that has ended is still on its way: " + underWay);
      }
    }
    return AimedWrite.between(region, to.region(), Imm.of(imm));
  }

  private @Nullable Volley scatter(Plot source, MemoryRegion region) {
    int length = 1 + random.nextInt(200);
    int from = source.reserve(length, random);
    if (from < 0) {
      return null;
    }
    boolean counted = !silent || random.nextInt(4) > 0;
    List<Scatter.Part> parts = new ArrayList<>();
    for (int part = 1 + random.nextInt(MAX_PARTS); part > 0; part--) {
      int partLength = random.nextInt(length + 1);
      int partFrom = random.nextInt(length - partLength + 1);
      RemoteSlice target = aim(partLength);
      if (target != null) {
        fill(source, from + partFrom);
        parts.add(new Scatter.Part(region.slice(from + partFrom, partLength), target));
        if (counted) {
          count(shots.getLast().plot().node, 1);
        }
      }
    }
    if (parts.isEmpty()) {
      source.scribble(from, length);
      return null;
    }
    return volley(new Scatter(parts, counted ? Imm.of(imm) : null), source, from, length);
  }

  private @Nullable Volley signal() {
    Plot source = pick(origin, true);
    if (source == null) {
      return null;
    }
    Set<Peer> peers = new LinkedHashSet<>();
    for (int member = 1 + random.nextInt(3); member > 0; member--) {
      Node target = world.pickOther(origin, random);
      TransferEngine other = target == null ? null : target.engine();
      if (target != null && other != null && peers.add(engine.peer(other.address()))) {
        count(target, 1);
        targets.add(target);
      }
    }
    return peers.isEmpty()
        ? null
        : volley(Signal.of(new PeerGroup(List.copyOf(peers)), Imm.of(imm)), source, 0, 0);
  }

  private Volley volley(Transfer transfer, Plot source, int from, int length) {
    var range = new Volley.Source(source, from, length);
    return new Volley(origin, transfer, range, shots, arrivals, targets);
  }

  private int drawLength() {
    return switch (random.nextInt(8)) {
      case 0 -> 0;
      case 1, 2, 3 -> 1 + random.nextInt(64);
      case 4, 5, 6 -> 1 + random.nextInt(700);
      default -> 1 + random.nextInt(3_000);
    };
  }

  /** A range of another engine's memory, and a shot whose bytes are to be filled in. */
  private @Nullable RemoteSlice aim(int length) {
    Node target = world.pickOther(origin, random);
    Plot plot = target == null ? null : pick(target, false);
    RegionDescriptor descriptor = plot == null ? null : plot.descriptor();
    if (target == null || plot == null || descriptor == null) {
      return null;
    }
    int offset = plot.reserve(length, random);
    if (offset < 0) {
      return null;
    }
    targets.add(target);
    shots.add(new Shot(plot, plot.revision(), plot.stamp(), offset, new byte[length]));
    return origin.remote(plot, descriptor, engine).slice(offset, length);
  }

  /** What the last shot carries. */
  private void fill(Plot source, int from) {
    byte[] bytes = shots.getLast().bytes();
    System.arraycopy(source.copy(from, bytes.length), 0, bytes, 0, bytes.length);
  }

  private void count(Node target, int arrivalsThere) {
    arrivals.merge(world.count(target, imm), arrivalsThere, Integer::sum);
  }

  private @Nullable Plot pick(Node node, boolean source) {
    List<Plot> fitting = node.plots().stream().filter(it -> it.isSource == source).toList();
    return fitting.isEmpty() ? null : fitting.get(random.nextInt(fitting.size()));
  }

  private int[] shuffled(int count) {
    int[] order = new int[count];
    for (int i = 0; i < count; i++) {
      int swap = random.nextInt(i + 1);
      order[i] = order[swap];
      order[swap] = i;
    }
    return order;
  }
}
