package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ffm.ffi.Raw;
import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.ibverbs.ffi.Ib;
import io.reactivetransfer.ibverbs.ffi.Verbs;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the device is told of how packets are treated, on the wire and at memory. */
@Timeout(30)
class DeviceSettingsTest {

  private static final int LENGTH = 100;
  private static final int SERVICE_LEVEL_AT = 82;
  private static final int TRAFFIC_CLASS_AT = 78;

  private final FakeVerbs fake = new FakeVerbs(2);
  private final List<String> told = new CopyOnWriteArrayList<>();

  private Verbs listening() {
    return (Verbs)
        Proxy.newProxyInstance(
            Verbs.class.getClassLoader(),
            new Class<?>[] {Verbs.class},
            (self, method, arguments) -> {
              listen(method.getName(), arguments);
              try {
                return method.invoke(fake, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private void listen(String call, Object[] arguments) {
    if (call.equals("ibv_modify_qp") && ((int) arguments[2] & Ib.IBV_QP_AV) != 0) {
      long attr = (long) arguments[1];
      told.add(
          "service level "
              + Raw.getUnsignedByte(attr + SERVICE_LEVEL_AT)
              + ", traffic class "
              + Raw.getUnsignedByte(attr + TRAFFIC_CLASS_AT));
    }
    if (call.equals("ibv_reg_mr_iova2")) {
      int access = (int) arguments[4];
      told.add(
          ((access & Ib.IBV_ACCESS_REMOTE_WRITE) == 0 ? "own" : "for others")
              + ((access & Ib.IBV_ACCESS_RELAXED_ORDERING) == 0 ? "" : ", in any order"));
    }
  }

  @Test
  void bothEndsOfAConnectionHaveThePriorityThatWasSet() {
    TwoNics nics = FakeNics.open(fake, listening());
    try (Arena arena = Arena.ofShared()) {
      var target = nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH);
      var source = nics.source(arena.allocate(LENGTH));
      told.clear();
      nics.write(source, target, 1, i -> 0, LENGTH, true);
      assertThat(told)
          .containsExactly(
              "service level 3, traffic class 104", "service level 3, traffic class 104");
      nics.close();
    }
  }

  @Test
  void onlyWhatOthersWriteMayBePutIntoMemoryInAnyOrder() {
    TwoNics nics = FakeNics.open(fake, listening());
    try (Arena arena = Arena.ofShared()) {
      told.clear();
      nics.openToOrigin(arena.allocate(LENGTH));
      assertThat(told).containsExactly("own", "for others, in any order");
      nics.close();
    }
  }
}
