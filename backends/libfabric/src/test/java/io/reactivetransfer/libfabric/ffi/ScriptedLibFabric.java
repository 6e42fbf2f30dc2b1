package io.reactivetransfer.libfabric.ffi;

import io.reactivetransfer.ffm.ffi.CField;
import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.foreign.Arena;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A library that has the NICs that a test gives it, and can do no more than tell of them. */
public final class ScriptedLibFabric {

  private static final long ROOM = 256;

  /**
   * A NIC in its list.
   *
   * @param provider its name, which need not be the one that was asked for
   * @param domain the NIC's name
   * @param immBytes bytes of an immediate
   * @param parts of memory of one write, at most
   */
  public record Card(String provider, String domain, long immBytes, long parts) {}

  private final Arena arena;
  private final int version;
  private final Map<String, List<Card>> cards = new HashMap<>();
  private final Map<String, Integer> errors = new HashMap<>();
  private final List<String> asked = new ArrayList<>();
  private final Set<String> reaching = new HashSet<>();
  private int askedForDevices;

  /** Of this version; what it gives lives as long as the arena. */
  public ScriptedLibFabric(Arena arena, int version) {
    this.arena = arena;
    this.version = version;
  }

  /** Who asks for this provider is told of these NICs. */
  public ScriptedLibFabric has(String provider, Card... nics) {
    cards.put(provider, List.of(nics));
    return this;
  }

  /** Its NICs reach accelerators, those of this name; who asks for that is told of none else. */
  public ScriptedLibFabric reachesDevices(String domain) {
    reaching.add(domain);
    return this;
  }

  /** How often somebody has asked for NICs that reach accelerators. */
  public int askedForDevices() {
    return askedForDevices;
  }

  /** Who asks for this provider is told of an error. */
  public ScriptedLibFabric fails(String provider, int error) {
    errors.put(provider, error);
    return this;
  }

  /** The providers that were asked for, in order. */
  public List<String> asked() {
    return asked;
  }

  /** The calls. */
  public LibFabric lib() {
    return (LibFabric)
        Proxy.newProxyInstance(
            LibFabric.class.getClassLoader(),
            new Class<?>[] {LibFabric.class},
            (proxy, method, arguments) -> call(method, arguments));
  }

  private Object call(Method method, Object[] arguments) {
    return switch (method.getName()) {
      case "fi_version" -> version;
      case "fi_strerror" -> "error " + arguments[0];
      case "fi_dupinfo" -> empty();
      case "fi_freeinfo" -> 0;
      case "fi_getinfo" -> getinfo((long) arguments[3], (long) arguments[4]);
      default -> throw new UnsupportedOperationException(method.getName());
    };
  }

  private int getinfo(long hints, long out) {
    String provider = Raw.getString(Raw.getLong(FiLayout.FABRIC_PROV_NAME.in(fabric(hints))));
    asked.add(provider);
    boolean devices = (Raw.getLong(FiLayout.INFO_CAPS.in(hints)) & Fi.FI_HMEM) != 0;
    askedForDevices += devices ? 1 : 0;
    List<Card> nics =
        cards.getOrDefault(provider, List.of()).stream()
            .filter(card -> !devices || reaching.contains(card.domain()))
            .toList();
    if (nics.isEmpty()) {
      return -errors.getOrDefault(provider, Fi.FI_ENODATA);
    }
    long next = 0;
    for (Card card : nics.reversed()) {
      next = info(card, next);
      Raw.putLong(FiLayout.INFO_CAPS.in(next), devices ? Fi.FI_RMA | Fi.FI_HMEM : Fi.FI_RMA);
    }
    Raw.putLong(out, next);
    return 0;
  }

  private long info(Card card, long next) {
    long info = empty();
    Raw.putLong(FiLayout.INFO_NEXT.in(info), next);
    Raw.putLong(FiLayout.FABRIC_PROV_NAME.in(fabric(info)), text(card.provider()));
    long domain = Raw.getLong(FiLayout.INFO_DOMAIN_ATTR.in(info));
    Raw.putLong(FiLayout.DOMAIN_NAME.in(domain), text(card.domain()));
    Raw.putLong(FiLayout.DOMAIN_CQ_DATA_SIZE.in(domain), card.immBytes());
    long tx = Raw.getLong(FiLayout.INFO_TX_ATTR.in(info));
    Raw.putLong(FiLayout.TX_IOV_LIMIT.in(tx), card.parts());
    Raw.putLong(FiLayout.TX_RMA_IOV_LIMIT.in(tx), card.parts());
    return info;
  }

  private static long fabric(long info) {
    return Raw.getLong(FiLayout.INFO_FABRIC_ATTR.in(info));
  }

  private long empty() {
    long info = room();
    for (CField part :
        List.of(
            FiLayout.INFO_TX_ATTR,
            FiLayout.INFO_EP_ATTR,
            FiLayout.INFO_DOMAIN_ATTR,
            FiLayout.INFO_FABRIC_ATTR)) {
      Raw.putLong(part.in(info), room());
    }
    return info;
  }

  private long room() {
    return arena.allocate(ROOM, Long.BYTES).address();
  }

  private long text(String text) {
    return arena.allocateFrom(text).address();
  }
}
