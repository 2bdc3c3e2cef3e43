/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.api;

import dev.baton.protocol.trace.RunId;
import dev.baton.store.failure.StoreFailure;

/** Checks what callers send. */
final class Requests {
  private Requests() {}

  static String run(String text) {
    try {
      return RunId.check(text);
    } catch (IllegalArgumentException e) {
      throw StoreFailure.invalid(String.valueOf(e.getMessage()));
    }
  }

  static String checkpoint(String text) {
    if (!RunId.isValid(text)) {
      throw StoreFailure.invalid(
          "checkpoint '%s' is not a ULID in lower case (26 characters)"
              .formatted(text.length() <= 64 ? text : text.substring(0, 64) + "…"));
    }
    return text;
  }

  static long atLeastZero(String name, long value) {
    if (value < 0) {
      throw StoreFailure.invalid(name + " is " + value + ", allowed is 0 or more");
    }
    return value;
  }

  static long between(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw StoreFailure.invalid(
          "%s is %d, allowed is %d to %d".formatted(name, value, least, most));
    }
    return value;
  }
}
