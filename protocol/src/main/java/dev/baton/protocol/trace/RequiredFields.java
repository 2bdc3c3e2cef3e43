/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which fields an event must have: every component of its record that is neither nullable nor
 * primitive.
 */
final class RequiredFields {
  private static final Map<Class<?>, List<RecordComponent>> REQUIRED = new ConcurrentHashMap<>();

  private RequiredFields() {}

  /** The JSON name of the first required field that is absent, or null when all are there. */
  static @Nullable String missing(TraceEvent event) {
    for (RecordComponent component :
        REQUIRED.computeIfAbsent(event.getClass(), RequiredFields::of)) {
      try {
        if (component.getAccessor().invoke(event) == null) {
          return snake(component.getName());
        }
      } catch (IllegalAccessException | InvocationTargetException e) {
        throw new IllegalStateException("cannot read " + component, e);
      }
    }
    return null;
  }

  static List<RecordComponent> of(Class<?> type) {
    return Arrays.stream(type.getRecordComponents())
        .filter(c -> !c.getType().isPrimitive() && !nullable(c.getAnnotatedType()))
        .toList();
  }

  static String snake(String name) {
    return name.replaceAll("([a-z])([A-Z])", "$1_$2").toLowerCase(java.util.Locale.ROOT);
  }

  private static boolean nullable(AnnotatedElement type) {
    return type.isAnnotationPresent(Nullable.class);
  }
}
