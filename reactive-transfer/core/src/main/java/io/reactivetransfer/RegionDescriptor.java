package io.reactivetransfer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Names registered memory to other engines: whose it is, how long, what is allowed, and one key per
 * NIC. Whoever holds it may write to the memory until the owner revokes or closes the region, so
 * treat its bytes as a secret; {@link #toString()} shows no key.
 *
 * <p>A value with a stable, versioned binary form; hand it over by whatever means the application
 * has, for instance {@link TransferEngine#send}.
 */
public final class RegionDescriptor {

  private static final int MAX_KEY_BYTES = 64;

  private final PeerAddress owner;
  private final long number;
  private final long length;
  private final Access access;
  private final List<byte[]> keys;
  private final byte[] encoded;

  /**
   * Made by an engine for its own region.
   *
   * @param owner address of the engine that owns the memory
   * @param number by which the owner knows the region under this descriptor, above 0
   * @param length bytes, at least 1
   * @param access what is allowed
   * @param keys the backend's key for each NIC of the owner, in its order, 1 to 64 bytes each
   */
  public RegionDescriptor(
      PeerAddress owner, long number, long length, Access access, List<byte[]> keys) {
    if (number < 1) {
      throw new IllegalArgumentException("expected a number of 1 or more, got " + number);
    }
    if (keys.isEmpty() || keys.size() > Nic.MAX_PER_ENGINE) {
      throw new IllegalArgumentException(
          "expected one key for each of 1 to " + Nic.MAX_PER_ENGINE + " NICs, got " + keys.size());
    }
    if (length < 1) {
      throw new IllegalArgumentException("expected a length of 1 or more bytes, got " + length);
    }
    for (byte[] key : keys) {
      if (key.length < 1 || key.length > MAX_KEY_BYTES) {
        throw new IllegalArgumentException(
            "expected keys of 1 to " + MAX_KEY_BYTES + " bytes, got one of " + key.length);
      }
    }
    this.owner = owner;
    this.number = number;
    this.length = length;
    this.access = access;
    this.keys = List.copyOf(keys);
    ByteWriter out = new ByteWriter(ByteForm.REGION_DESCRIPTOR);
    owner.writeTo(out);
    out.u64(number);
    out.u64(length);
    out.u8(access.bits());
    out.u8(keys.size());
    this.keys.forEach(out::bytes);
    this.encoded = out.toBytes();
  }

  /** Address of the engine that owns the memory. */
  public PeerAddress owner() {
    return owner;
  }

  /**
   * By which the owner knows the region under this descriptor; another one after each {@link
   * MemoryRegion#revoke()}. No secret.
   */
  public long number() {
    return number;
  }

  /** Length in bytes. */
  public long length() {
    return length;
  }

  /** What is allowed. */
  public Access access() {
    return access;
  }

  /** How many NICs the owner has, each with a key of its own. */
  public int nics() {
    return keys.size();
  }

  /**
   * The backend's key for one NIC of the owner.
   *
   * @param nic index into the owner's NICs
   */
  public byte[] key(int nic) {
    return keys.get(nic).clone();
  }

  /** The stable binary form. */
  public byte[] toBytes() {
    return encoded.clone();
  }

  /**
   * Reads what {@link #toBytes()} wrote.
   *
   * @throws DescriptorFormatException if the bytes are anything else
   */
  public static RegionDescriptor fromBytes(byte[] bytes) {
    Objects.requireNonNull(bytes, "bytes");
    ByteReader in = new ByteReader(ByteForm.REGION_DESCRIPTOR, bytes);
    PeerAddress owner = PeerAddress.readFrom(in);
    long number = in.u64("number", 1);
    long length = in.u64("length", 1);
    Access access = Access.ofBits(in.u8("access", 0, 0xff));
    int nics = in.u8("number of keys", 1, Nic.MAX_PER_ENGINE);
    List<byte[]> keys = new ArrayList<>(nics);
    for (int i = 0; i < nics; i++) {
      keys.add(in.bytes("key", MAX_KEY_BYTES));
    }
    in.end();
    return new RegionDescriptor(owner, number, length, access, keys);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RegionDescriptor that && Arrays.equals(encoded, that.encoded);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(encoded);
  }

  /** Owner, length and access; no keys. */
  @Override
  public String toString() {
    return "region of " + length + " bytes at " + owner + ", " + access;
  }
}
