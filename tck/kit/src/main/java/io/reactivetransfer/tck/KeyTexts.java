package io.reactivetransfer.tck;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Set;

/** The forms in which a text may give a key away, whole or 8 bytes of it. */
final class KeyTexts {

  /** A shorter one may stand in a text by chance. */
  private static final int MIN_CHARS = 8;

  private KeyTexts() {}

  static Set<String> of(byte[] key) {
    Set<String> forms = new HashSet<>();
    add(forms, key);
    forms.add(Base64.getEncoder().withoutPadding().encodeToString(key));
    forms.add(Base64.getUrlEncoder().withoutPadding().encodeToString(key));
    forms.add(numbers(key));
    if (key.length < Long.BYTES) {
      addNumber(forms, key);
      addNumber(forms, reversed(key));
    }
    for (int at = 0; at + Long.BYTES <= key.length; at++) {
      for (ByteOrder order : new ByteOrder[] {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN}) {
        long value = ByteBuffer.wrap(key).order(order).getLong(at);
        forms.add(Long.toString(value));
        forms.add(Long.toUnsignedString(value));
        byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(value).array();
        add(forms, bytes);
        forms.add(numbers(bytes));
      }
    }
    forms.removeIf(form -> form.length() < MIN_CHARS);
    return forms;
  }

  /** Of a short key as a whole, with and without a sign. */
  private static void addNumber(Set<String> forms, byte[] key) {
    forms.add(new BigInteger(key).toString());
    forms.add(new BigInteger(1, key).toString());
  }

  private static byte[] reversed(byte[] key) {
    byte[] reversed = new byte[key.length];
    for (int i = 0; i < key.length; i++) {
      reversed[i] = key[key.length - 1 - i];
    }
    return reversed;
  }

  private static void add(Set<String> forms, byte[] bytes) {
    String hex = HexFormat.of().formatHex(bytes);
    forms.add(hex);
    forms.add(new BigInteger(1, bytes).toString(16));
    forms.add(HexFormat.ofDelimiter(" ").formatHex(bytes));
    forms.add(HexFormat.ofDelimiter(":").formatHex(bytes));
  }

  private static String numbers(byte[] bytes) {
    String brackets = Arrays.toString(bytes);
    return brackets.substring(1, brackets.length() - 1);
  }

  /** Without regard to capital letters. */
  static String plain(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
