/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.outputs;

import dev.baton.protocol.json.JsonLengthCalculator;
import dev.baton.protocol.json.LazyJsonContainer;
import dev.baton.protocol.trace.Output;

/** A value composed of outputs, which are not loaded into memory for it. */
public sealed interface ReferencedValue extends LazyJsonContainer
    permits ReferencedArray, ReferencedObject {
  /** Maximum size of a copy in memory, in bytes of JSON. */
  long MAX_COPY = 64L << 20;

  /** Returns the content of the value's blob: a list or a map of outputs. */
  Object index();

  /** Returns the minimum size of the whole value as JSON, in bytes. */
  long sizeBytes();

  /** Returns the number of outputs in it. */
  int parts();

  /** Returns the size of an output's value as JSON, in bytes. */
  static long size(Output output) {
    return switch (output) {
      case Output.Inline(var value) -> JsonLengthCalculator.of(value);
      case Output.Ref ref -> ref.sizeBytes();
    };
  }

  /**
   * @throws IllegalArgumentException when the value is larger than {@link #MAX_COPY}
   */
  static void checkCopy(ReferencedValue value) {
    if (value.sizeBytes() > MAX_COPY) {
      throw new IllegalArgumentException(
          "a value of %d bytes of JSON would be copied; allowed: %d"
              .formatted(value.sizeBytes(), MAX_COPY));
    }
  }
}
