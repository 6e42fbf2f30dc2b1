package io.reactivetransfer.tools;

import io.reactivetransfer.Device;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** For options that name a device: {@code host}, or such as {@code cuda} or {@code cuda:1}. */
public final class DeviceConverter implements ITypeConverter<Device> {

  /**
   * The device of this name.
   *
   * @throws IllegalArgumentException if that is none
   */
  public static Device device(String text) {
    String[] parts = text.split(":", 2);
    try {
      return Device.of(parts[0], parts.length == 1 ? 0 : Integer.parseInt(parts[1]));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "expected host, or a kind and a number such as cuda:0, got '" + text + "'", e);
    }
  }

  @Override
  public Device convert(String text) {
    try {
      return device(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
