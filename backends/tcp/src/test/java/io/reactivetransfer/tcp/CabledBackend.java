package io.reactivetransfer.tcp;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.tck.ForwardingBackend;
import io.reactivetransfer.tck.ForwardingDomain;
import io.reactivetransfer.tcp.faults.Cable;
import io.reactivetransfer.tcp.faults.Direction;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * A tcp backend whose engines reach others through cables only: each of its NICs lays one to each
 * NIC that it resolves, and takes no notice of where it really is.
 */
public final class CabledBackend extends ForwardingBackend {

  private record Laid(EngineId origin, EngineId target, Cable cable) {}

  /** How an engine of a {@link CabledBackend} leaves. */
  public enum Leaving {
    /** In good order: those that it is connected with hear its goodbye. */
    IN_GOOD_ORDER,
    /** All its connections are reset, and nobody hears a goodbye. */
    BY_RESET,
    /** Its connections end for others as if all was said, and nobody hears a goodbye. */
    BY_HALF_CLOSE
  }

  private final List<Laid> all;

  private CabledBackend(Backend inner, List<Laid> all, Consumer<Cable> condition, Leaving leaving) {
    super(inner, (domain, context) -> new CabledNic(domain, context, all, condition, leaving));
    this.all = all;
  }

  /**
   * In front of this one.
   *
   * @param condition what every new cable is like
   * @param leaving how engines that close look to others
   */
  public static CabledBackend over(Backend inner, Consumer<Cable> condition, Leaving leaving) {
    return new CabledBackend(inner, new CopyOnWriteArrayList<>(), condition, leaving);
  }

  /** In front of this one, with cables that have no fault yet. */
  public static CabledBackend over(Backend inner) {
    return over(inner, _ -> {}, Leaving.IN_GOOD_ORDER);
  }

  /** All that lead from this engine to that one. */
  public List<Cable> cables(EngineId origin, EngineId target) {
    return all.stream()
        .filter(laid -> laid.origin.equals(origin) && laid.target.equals(target))
        .map(Laid::cable)
        .toList();
  }

  private static final class CabledNic extends ForwardingDomain {

    private final EngineId engine;
    private final List<Laid> all;
    private final Consumer<Cable> condition;
    private final Leaving leaving;
    private final Map<NicAddress, Cable> cables = new HashMap<>();

    CabledNic(
        Domain inner,
        OpenContext context,
        List<Laid> all,
        Consumer<Cable> condition,
        Leaving leaving) {
      super(inner);
      this.engine = context.engine();
      this.all = all;
      this.condition = condition;
      this.leaving = leaving;
    }

    @Override
    public RemotePeer resolve(EngineId peer, int nic, byte[] address) {
      Cable cable = cables.computeIfAbsent(NicAddress.decode(address), at -> lay(peer, at));
      NicAddress begin = new NicAddress("127.0.0.1", cable.address().getPort());
      return super.resolve(peer, nic, begin.encode());
    }

    private Cable lay(EngineId peer, NicAddress address) {
      Cable cable = Cable.to(address.toSocketAddress());
      condition.accept(cable);
      all.add(new Laid(engine, peer, cable));
      return cable;
    }

    @Override
    public void close() {
      for (Laid laid : all) {
        if (laid.origin.equals(engine) || laid.target.equals(engine)) {
          leave(laid.cable, laid.origin.equals(engine));
        }
      }
      super.close();
    }

    private void leave(Cable cable, boolean own) {
      if (own) {
        cable.retire();
      }
      switch (leaving) {
        case IN_GOOD_ORDER -> {
          // its goodbye goes through
        }
        case BY_RESET -> cable.reset();
        case BY_HALF_CLOSE -> {
          cable.halfClose(Direction.TO_TARGET);
          cable.halfClose(Direction.TO_ORIGIN);
        }
      }
    }
  }
}
