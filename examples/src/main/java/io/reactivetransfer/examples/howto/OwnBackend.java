package io.reactivetransfer.examples.howto;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Nic;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.WorkerLoop;
import io.reactivetransfer.tcp.TcpBackend;
import java.lang.foreign.Arena;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;

/** A backend of one's own in front of tcp: its NICs take short writes only, and count them. */
public record OwnBackend(Backend tcp, LongAdder posted) implements Backend {

  private static final int MOST = 65_536; // bytes of one write

  public static void main(String[] args) {
    OwnBackend own = new OwnBackend(new TcpBackend(), new LongAdder());
    TransferEngine origin = TransferEngineBuilder.create().backend(own).open().block();
    TransferEngine target = TransferEngineBuilder.create().backend("tcp").open().block();
    try (Arena arena = Arena.ofShared()) {
      MemoryRegion from = origin.register(arena.allocate(16 * MOST)).block();
      MemoryRegion to = target.register(arena.allocate(16 * MOST)).block();
      Imm imm = Imm.of(1);
      origin.submit(WriteImm.of(from.whole(), origin.remote(to.descriptor()).whole(), imm)).block();
      target.counter(imm).next(1).block(); // one arrival, in however many pieces
      if (own.posted.sum() != 16) {
        throw new IllegalStateException("expected 16 pieces, got " + own.posted);
      }
      System.out.println("A write of 1 MiB went in " + own.posted + " pieces of 64 KiB.");
      origin.close().then(target.close()).block();
    }
  }

  @Override
  public String name() {
    return tcp.name(); // peers of another name are refused
  }

  @Override
  public Availability availability() {
    return tcp.availability();
  }

  @Override
  public List<Nic> nics() {
    return tcp.nics();
  }

  @Override
  public WorkerLoop newLoop() {
    return tcp.newLoop();
  }

  @Override
  public CompletionStage<ControlChannel> openControl(ControlContext context) {
    return tcp.openControl(context);
  }

  @Override
  public CompletionStage<Domain> open(Nic nic, OpenContext context) {
    return tcp.open(nic, context).thenApply(this::limited);
  }

  /** A class with all methods of a NIC would be longer, and allocate less. */
  private Domain limited(Domain nic) {
    Class<?>[] types = {Domain.class};
    return (Domain)
        Proxy.newProxyInstance(
            Domain.class.getClassLoader(),
            types,
            (self, method, args) -> {
              if (method.getName().equals("capabilities")) {
                return nic.capabilities().toBuilder().maxWriteBytes(MOST).build();
              }
              try {
                Object result = method.invoke(nic, args);
                posted.add(result == PostResult.TAKEN ? 1 : 0); // only post() gives that
                return result;
              } catch (InvocationTargetException e) {
                throw e.getCause(); // what the NIC has thrown
              }
            });
  }
}
