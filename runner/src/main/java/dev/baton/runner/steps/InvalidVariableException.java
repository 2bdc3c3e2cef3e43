/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

/** A value cannot be stored in an environment variable. */
final class InvalidVariableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private InvalidVariableException(String message) {
    super(message);
  }

  /**
   * Checks the value of a variable; the message names the variable, never its value.
   *
   * @return the value
   * @throws InvalidVariableException when it has a NUL character, which terminates a variable
   */
  static String check(String name, String value) {
    int at = value.indexOf('\0');
    if (at >= 0) {
      throw new InvalidVariableException(
          "env %s: the value has a NUL character at index %d, which no process environment can hold"
              .formatted(name, at));
    }
    return value;
  }
}
