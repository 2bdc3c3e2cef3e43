/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.json;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks a wire record for absent required fields: every component that is neither nullable nor
 * primitive. Jackson sets absent ones to null. Thread-safe.
 */
public final class RequiredFieldChecker {
  private static final ClassValue<List<Field>> REQUIRED =
      new ClassValue<>() {
        @Override
        protected List<Field> computeValue(Class<?> type) {
          return Arrays.stream(type.getRecordComponents())
              .filter(RequiredFieldChecker::isRequired)
              .map(Field::of)
              .toList();
        }
      };

  private RequiredFieldChecker() {}

  private record Field(String name, MethodHandle read) {
    static Field of(RecordComponent component) {
      try {
        return new Field(
            PropertyNamingStrategies.SnakeCaseStrategy.INSTANCE.translate(component.getName()),
            MethodHandles.lookup()
                .unreflect(component.getAccessor())
                .asType(MethodType.methodType(Object.class, Object.class)));
      } catch (IllegalAccessException e) {
        throw new IllegalStateException("cannot read " + component, e);
      }
    }

    boolean isMissing(Record record) {
      try {
        return (Object) read.invokeExact((Object) record) == null;
      } catch (Throwable e) {
        throw new IllegalStateException("cannot read '" + name + "' of " + record.getClass(), e);
      }
    }
  }

  /** Returns the JSON name of the first absent required field, or null when all are present. */
  public static @Nullable String missing(Record record) {
    List<Field> required = REQUIRED.get(record.getClass());
    for (int i = 0; i < required.size(); i++) {
      Field field = required.get(i);
      if (field.isMissing(record)) {
        return field.name();
      }
    }
    return null;
  }

  private static boolean isRequired(RecordComponent component) {
    return !component.getType().isPrimitive()
        && !component.getAnnotatedType().isAnnotationPresent(Nullable.class);
  }
}
