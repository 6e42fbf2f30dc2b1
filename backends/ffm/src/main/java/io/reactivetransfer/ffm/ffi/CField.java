package io.reactivetransfer.ffm.ffi;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.List;

/**
 * A field of a C structure and where it lies.
 *
 * @param struct the structure's name, without {@code struct}
 * @param name the field's name; with dots within structures
 * @param offset in bytes
 */
public record CField(String struct, String name, long offset) {

  /**
   * All fields that are constants of a class, for the comparison with the header.
   *
   * @throws IllegalArgumentException if there are none
   */
  public static List<CField> of(Class<?> layout) {
    List<CField> fields =
        Arrays.stream(layout.getDeclaredFields())
            .filter(constant -> constant.getType() == CField.class)
            .map(CField::valueOf)
            .toList();
    if (fields.isEmpty()) {
      throw new IllegalArgumentException("expected fields of C in " + layout + ", got none");
    }
    return fields;
  }

  private static CField valueOf(Field constant) {
    try {
      constant.setAccessible(true);
      return (CField) constant.get(null);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The expression of C whose value the offset is. */
  public String inC() {
    return "offsetof(struct " + struct + ", " + name + ")";
  }

  /** The field's address in a structure that begins here. */
  public long in(long address) {
    return address + offset;
  }
}
