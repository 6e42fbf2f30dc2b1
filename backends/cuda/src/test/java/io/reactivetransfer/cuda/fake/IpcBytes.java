package io.reactivetransfer.cuda.fake;

import java.lang.reflect.Field;
import jcuda.driver.CUipcMemHandle;

/** The bytes of a handle, which JCuda keeps to itself. */
final class IpcBytes {

  private IpcBytes() {}

  static byte[] of(CUipcMemHandle handle) throws ReflectiveOperationException {
    Field bytes = CUipcMemHandle.class.getDeclaredField("reserved");
    bytes.setAccessible(true);
    return (byte[]) bytes.get(handle);
  }
}
