package com.example.mynic;

import io.reactivetransfer.Nic;
import io.reactivetransfer.control.NettyControl;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/** NICs that are software, and reach one another within one JVM. */
public final class MyNicBackend implements Backend {

  private final NettyControl control = NettyControl.builder().host("127.0.0.1").build();
  private final SecureRandom random;

  /** As the service loader makes it. */
  public MyNicBackend() {
    try {
      random = SecureRandom.getInstance("DRBG");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("expected a JDK with DRBG", e);
    }
    random.nextInt(); // seeds it here, and not on the thread of a NIC
  }

  @Override
  public String name() {
    return "mynic";
  }

  @Override
  public Availability availability() {
    return Availability.available();
  }

  /** What an engine uses that is not told how many. */
  @Override
  public List<Nic> nics() {
    return nics(1);
  }

  /** Software can be had as often as one likes; who has cards leaves this out. */
  @Override
  public List<Nic> nics(int count) {
    return IntStream.range(0, count).mapToObj(index -> Nic.named("mynic" + index)).toList();
  }

  @Override
  public CompletionStage<ControlChannel> openControl(ControlContext context) {
    return control.open(context);
  }

  @Override
  public CompletionStage<Domain> open(Nic nic, OpenContext context) {
    return CompletableFuture.completedFuture(new MyDomain(context, random));
  }
}
