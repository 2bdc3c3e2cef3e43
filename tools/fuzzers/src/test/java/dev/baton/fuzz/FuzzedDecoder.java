/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.fuzz;

/** Decodes one input and checks the properties that hold for every input. */
@FunctionalInterface
public interface FuzzedDecoder {
  /**
   * Returns when the input was decoded, or rejected as documented.
   *
   * @throws Exception of any other kind: a fault
   */
  void accept(byte[] input) throws Exception;
}
