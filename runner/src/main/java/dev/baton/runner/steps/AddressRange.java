/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import java.net.InetAddress;
import java.util.Arrays;

/**
 * The addresses that share the first bits of an address.
 *
 * @param bits how many
 */
record AddressRange(InetAddress first, int bits) {
  /**
   * Parses {@code 10.0.0.0/8}, {@code fd00::/8} or a single address.
   *
   * @throws IllegalArgumentException when the text is not one, for example a host name
   */
  static AddressRange of(String text) {
    int slash = text.indexOf('/');
    String address = slash < 0 ? text : text.substring(0, slash);
    InetAddress first = InetAddress.ofLiteral(address);
    int most = first.getAddress().length * Byte.SIZE;
    int bits = slash < 0 ? most : Integer.parseInt(text.substring(slash + 1));
    if (bits < 0 || bits > most) {
      throw new IllegalArgumentException("'" + text + "' has not 0 to " + most + " bits");
    }
    return new AddressRange(first, bits);
  }

  boolean contains(InetAddress address) {
    byte[] these = first.getAddress();
    byte[] those = address.getAddress();
    if (these.length != those.length) {
      return false;
    }
    int whole = bits / Byte.SIZE;
    int rest = bits % Byte.SIZE;
    return Arrays.equals(these, 0, whole, those, 0, whole)
        && (rest == 0 || ((these[whole] ^ those[whole]) & 0xff) >> (Byte.SIZE - rest) == 0);
  }
}
