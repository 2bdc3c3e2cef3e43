/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.session;

import java.util.Map;
import java.util.TreeMap;

/**
 * Values that the agent keeps in its session: findings and decisions, by name. Immutable.
 *
 * @param values sorted by name
 */
public record DomainValues(Map<String, String> values) {
  /** The most values of a session. */
  public static final int MAX_VALUES = 100;

  /** The slice of the values. */
  public static final SessionSlice<DomainValues> SLICE =
      new SessionSlice<>(
          "values",
          1,
          DomainValues.class,
          new DomainValues(Map.of()),
          DomainValues::after,
          Map.of());

  public DomainValues {
    values = java.util.Collections.unmodifiableMap(new TreeMap<>(values));
  }

  /** A value is kept; an empty one is removed. */
  public record ValueKept(String name, String value) implements SessionEvent {}

  private DomainValues after(SessionEvent event) {
    if (!(event instanceof ValueKept(String name, String value))) {
      return this;
    }
    Map<String, String> next = new TreeMap<>(values);
    if (value.isEmpty()) {
      next.remove(name);
    } else {
      next.put(name, value);
    }
    return new DomainValues(next);
  }
}
