package io.reactivetransfer.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an engine has of accelerators whose access does not keep its contract. */
class DevicesTest {

  private static final Device CARD = Device.of("card", 0);
  private static final DeviceMemory MEMORY = new DeviceMemory(CARD, 4_096, 8);

  /** Throws what it is told to. */
  private static class Scripted implements DeviceAccess {

    @Nullable Throwable failure;
    @Nullable List<@Nullable Device> devices = List.of(CARD);
    @Nullable Availability availability = Availability.available();
    @Nullable String text = "a card";

    @Override
    @SuppressWarnings("NullAway") // that is what is tried
    public Availability availability() {
      raise();
      return availability;
    }

    @Override
    @SuppressWarnings({"NullAway", "unchecked"})
    public List<Device> devices() {
      if (isAsked) {
        raise();
      }
      return (List<Device>) (List<?>) devices;
    }

    /** Whether it was, at first, and throws what it is told to from then on. */
    boolean isAsked;

    @Override
    @SuppressWarnings("NullAway")
    public String kind() {
      raise();
      return text;
    }

    @Override
    @SuppressWarnings("NullAway")
    public String describe(Device device) {
      raise();
      return text;
    }

    @Override
    public void copyToHost(DeviceMemory from, long at, MemorySegment to, long toAt, long length) {
      raise();
    }

    @Override
    public void copyFromHost(MemorySegment from, long at, DeviceMemory to, long toAt, long length) {
      raise();
    }

    @Override
    public void copy(DeviceMemory from, long at, DeviceMemory to, long toAt, long length) {
      raise();
    }

    @Override
    public long peek(DeviceMemory memory, long offset) {
      raise();
      return 7;
    }

    boolean isOpen;

    @Override
    public boolean isOpenToNics(Device device) {
      raise();
      return isOpen;
    }

    @Override
    public DmaBuf exportDmaBuf(DeviceMemory memory) {
      raise();
      return DeviceAccess.super.exportDmaBuf(memory);
    }

    @Override
    public void flush(Device device) {
      raise();
    }

    final void raise() {
      switch (failure) {
        case null -> {}
        case RuntimeException e -> throw e;
        case Error e -> throw e;
        default -> throw new AssertionError(failure);
      }
    }
  }

  private static final List<Consumer<DeviceAccess>> CALLS =
      List.of(
          access -> access.copyToHost(MEMORY, 0, MemorySegment.NULL, 0, 0),
          access -> access.copyFromHost(MemorySegment.NULL, 0, MEMORY, 0, 0),
          access -> access.copy(MEMORY, 0, MEMORY, 4, 4),
          access -> access.peek(MEMORY, 0),
          access -> access.exportDmaBuf(MEMORY),
          access -> access.flush(CARD));

  private final Scripted scripted = new Scripted();

  /** A driver knows what to do about a refusal, and about nothing else. */
  @Test
  void whateverAnAccessThrowsIsARefusal() {
    DeviceAccess access = Devices.of(List.of(scripted)).access(CARD);
    for (Consumer<DeviceAccess> call : CALLS) {
      for (Throwable failure :
          List.of(new IllegalStateException("context lost"), new NoClassDefFoundError("x/Y"))) {
        scripted.failure = failure;
        assertThatThrownBy(() -> call.accept(access))
            .isInstanceOf(BackendException.class)
            .hasMessageContainingAll("card:0", Scripted.class.getName(), failure.toString())
            .hasCause(failure);
      }
      scripted.failure = new BackendException(700, "illegal address");
      assertThatThrownBy(() -> call.accept(access)).isSameAs(scripted.failure);
    }
    scripted.failure = null;
    assertThat(access.peek(MEMORY, 0)).isEqualTo(7);
  }

  @Test
  void whatIsForPeopleIsALineWhateverIsSaid() {
    DeviceAccess access = Devices.of(List.of(scripted)).access(CARD);
    assertThat(List.of(access.kind(), access.describe(CARD))).containsOnly("a card");
    scripted.text = "a card\r\n\tof " + "much ".repeat(100);
    assertThat(List.of(access.kind(), access.describe(CARD)))
        .allMatch(line -> line.startsWith("a card of much") && line.length() == 300);
    scripted.text = null;
    assertThat(access.kind()).startsWith("unknown: ").contains("kind(), got null", "card:0");
    assertThat(access.describe(CARD)).startsWith("unknown: ").contains("describe(), got null");
    scripted.failure = new NoClassDefFoundError("x/Y");
    assertThat(List.of(access.kind(), access.describe(CARD)))
        .allMatch(line -> line.startsWith("unknown: ") && line.contains("x/Y"));
  }

  @Test
  void whoSaysNothingOfWhatThereIsSaysSo() {
    DeviceAccess access = Devices.of(List.of(scripted)).access(CARD);
    scripted.isAsked = true;
    assertThat(access.devices()).containsExactly(CARD);
    scripted.devices = null;
    scripted.availability = null;
    assertThatThrownBy(access::devices)
        .isInstanceOf(BackendException.class)
        .hasMessageContainingAll("devices(), got null", "card:0");
    assertThat(access.availability())
        .isInstanceOfSatisfying(
            Availability.Unavailable.class,
            no -> assertThat(no.reason()).contains("availability(), got null"));
    scripted.failure = new IllegalStateException("context lost");
    assertThatThrownBy(access::devices)
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("context lost");
    assertThat(access.availability())
        .isInstanceOfSatisfying(
            Availability.Unavailable.class, no -> assertThat(no.reason()).contains("context lost"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void oneThatNamesNothingTakesNobodyAlong(boolean isAvailable) {
    scripted.availability = isAvailable ? Availability.available() : null;
    scripted.devices = null;
    Devices devices = Devices.of(List.of(scripted, new Good()));
    assertThat(devices.all()).containsExactly(Device.of("good", 0));
    assertThatThrownBy(() -> devices.access(CARD))
        .isInstanceOf(BackendException.class)
        .hasMessageContainingAll(
            Scripted.class.getName(), isAvailable ? "its devices" : "its availability");
  }

  @Test
  void oneThatCannotSayWhatThereIsTakesNobodyAlong() {
    Scripted broken = new Scripted();
    broken.failure = new UnsatisfiedLinkError("no libcard.so");
    Devices devices = Devices.of(List.of(broken, new Good()));
    assertThat(devices.all()).containsExactly(Device.of("good", 0));
    assertThatThrownBy(() -> devices.access(CARD))
        .isInstanceOf(BackendException.class)
        .hasMessageContainingAll(Scripted.class.getName(), "no libcard.so", "[good:0]");
  }

  private static final class Good extends Scripted {
    Good() {
      devices = List.of(Device.of("good", 0));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"host", "null"})
  void whatIsNoAcceleratorIsNotServed(String which) {
    scripted.devices = Arrays.asList(which.equals("host") ? Device.HOST : null);
    Devices devices = Devices.of(List.of(scripted));
    assertThat(devices.all()).isEmpty();
    assertThat(devices.andHost()).containsExactly(Device.HOST);
    assertThatThrownBy(() -> devices.access(CARD))
        .isInstanceOf(BackendException.class)
        .hasMessageContainingAll(Scripted.class.getName(), which);
  }

  @Test
  void thoseThatAreNotOpenToNicsAreServedByCopiesOnly() {
    Scripted scripted = new Scripted();
    Devices devices = Devices.of(List.of(scripted));
    assertThat(devices.openToNicsAndHost()).containsExactly(Device.HOST);
    scripted.isOpen = true;
    assertThat(devices.openToNicsAndHost()).containsExactlyInAnyOrder(Device.HOST, CARD);
    scripted.failure = new NoClassDefFoundError("on purpose");
    assertThat(devices.openToNicsAndHost()).containsExactly(Device.HOST);
    assertThat(devices.andHost()).containsExactlyInAnyOrder(Device.HOST, CARD);
  }
}
