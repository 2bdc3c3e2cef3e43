/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.boundary;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * A boundary.
 *
 * @param number 1, 2, 3 … within a session
 * @param conversation the conversation whose request reached it
 * @param key key of that request
 * @param lastCalls ids of the calls whose results the request returned; the agent's own files are
 *     complete when they contain them
 * @param form id of the form of the request
 * @param body of the request, which contains the whole conversation; not to be changed
 */
public record BoundaryPoint(
    int number,
    String conversation,
    String key,
    List<String> lastCalls,
    String form,
    ObjectNode body) {
  public BoundaryPoint {
    lastCalls = List.copyOf(lastCalls);
  }

  /** Returns it with another number. */
  BoundaryPoint at(int other) {
    return new BoundaryPoint(other, conversation, key, lastCalls, form, body);
  }
}
