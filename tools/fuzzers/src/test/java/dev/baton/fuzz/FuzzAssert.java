/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.fuzz;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Checks properties of decoded values. */
public final class FuzzAssert {
  private FuzzAssert() {}

  /** Fails where a value that was encoded and decoded again differs. */
  public static void same(@Nullable Object decoded, @Nullable Object again) {
    if (!Objects.equals(decoded, again)) {
      throw new AssertionError("decoded: " + decoded + "\nencoded and decoded: " + again);
    }
  }

  /** Fails where there are two encodings. */
  public static void same(byte[] input, byte[] encoded) {
    if (!Arrays.equals(input, encoded)) {
      throw new AssertionError("a second encoding of the same value");
    }
  }

  /** Fails where a property does not hold. */
  public static void require(boolean holds, String property) {
    if (!holds) {
      throw new AssertionError(property);
    }
  }
}
