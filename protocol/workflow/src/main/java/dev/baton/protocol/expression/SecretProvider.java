/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

/** Returns the values of secrets that templates name. */
@FunctionalInterface
public interface SecretProvider {
  /** For templates that must not contain secrets, which the check of a definition ensures. */
  SecretProvider NONE =
      name -> {
        throw new IllegalStateException("secrets." + name + " cannot be used here");
      };

  /**
   * @param name as the workflow declares it
   * @throws RuntimeException when the secret is not available
   */
  String value(String name);
}
