/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import net.thisptr.jackson.jq.Output;

/** Takes the first result and stops the evaluation. */
final class FirstResult implements Output {
  private static final Taken TAKEN = new Taken();

  private JsonNode value = NullNode.getInstance();

  @Override
  public void emit(JsonNode result) {
    value = result;
    throw TAKEN;
  }

  JsonNode value() {
    return value;
  }

  /** Not a JsonQueryException, so that no {@code try} in the expression can catch it. */
  static final class Taken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private Taken() {
      super(null, null, false, false);
    }
  }
}
