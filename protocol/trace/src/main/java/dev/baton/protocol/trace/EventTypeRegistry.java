/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Maps events to their type names on the wire: {@code dev.baton.} and the record's name in
 * snake_case.
 */
public final class EventTypeRegistry {
  public static final String PREFIX = "dev.baton.";

  /** The value of every event's {@code schema} field. Readers accept it and every lower one. */
  public static final int SCHEMA = 1;

  private static final Pattern HUMP = Pattern.compile("(?<=[a-z])(?=[A-Z])");
  private static final Map<String, Class<? extends TraceEvent>> BY_NAME =
      Stream.of(TraceEvent.Control.class, TraceEvent.Runner.class)
          .flatMap(family -> Stream.of(family.getPermittedSubclasses()))
          .collect(
              Collectors.toUnmodifiableMap(
                  EventTypeRegistry::wireName, c -> c.asSubclass(TraceEvent.class)));
  private static final Map<String, Class<? extends TraceEvent>> BY_TYPE =
      BY_NAME.entrySet().stream()
          .collect(Collectors.toUnmodifiableMap(e -> PREFIX + e.getKey(), Map.Entry::getValue));
  private static final Map<Class<?>, String> BY_CLASS =
      BY_NAME.entrySet().stream()
          .collect(Collectors.toUnmodifiableMap(Map.Entry::getValue, e -> PREFIX + e.getKey()));

  /** Types of recorded traces that have another name today. */
  private static final Map<String, String> RENAMED =
      Map.of(PREFIX + "checkpoint_waiting", PREFIX + "approval_requested");

  private EventTypeRegistry() {}

  /**
   * Returns, for example, {@code dev.baton.step_completed} for a {@link TraceEvent.StepCompleted}.
   */
  public static String of(TraceEvent event) {
    String type = BY_CLASS.get(event.getClass());
    if (type == null) {
      throw new IllegalStateException(event.getClass() + " is not an event record");
    }
    return type;
  }

  /** Translates a type that was renamed since it was recorded; any other is returned unchanged. */
  public static String current(String type) {
    return RENAMED.getOrDefault(type, type);
  }

  /** Returns the record for a type or its old name; empty for a type unknown to this version. */
  public static Optional<Class<? extends TraceEvent>> recordOf(String type) {
    return Optional.ofNullable(BY_TYPE.get(current(type)));
  }

  /** Returns all event records by their name without the prefix. */
  public static Map<String, Class<? extends TraceEvent>> all() {
    return BY_NAME;
  }

  private static String wireName(Class<?> record) {
    return HUMP.splitAsStream(record.getSimpleName())
        .map(part -> part.toLowerCase(java.util.Locale.ROOT))
        .collect(Collectors.joining("_"));
  }
}
