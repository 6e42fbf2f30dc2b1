package io.reactivetransfer.ffm.ffi;

/**
 * A field of a C structure and where it lies.
 *
 * @param struct the structure's name, without {@code struct}
 * @param name the field's name; with dots within structures
 * @param offset in bytes
 */
public record CField(String struct, String name, long offset) {

  /** The field's address in a structure that begins here. */
  public long in(long address) {
    return address + offset;
  }
}
