/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.storedoctor;

/** The server has answered otherwise than a check requires; the message has both. */
final class CheckFailedException extends Exception {
  private static final long serialVersionUID = 1L;

  CheckFailedException(String message) {
    super(message);
  }

  /**
   * @param what subject of the sentence {@code what is found, not wanted}
   */
  static void unless(boolean holds, String what, Object found, Object wanted)
      throws CheckFailedException {
    if (!holds) {
      throw new CheckFailedException("%s is %s, not %s".formatted(what, found, wanted));
    }
  }

  static void unlessStatus(int found, int wanted, String request) throws CheckFailedException {
    unless(found == wanted, "the status of " + request, found, wanted);
  }
}
