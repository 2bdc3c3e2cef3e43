/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.json;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Describes JSON that cannot be read, for its author: without names of Java's classes. */
public final class JsonProblemFormatter {
  private JsonProblemFormatter() {}

  /** Returns one line, such as {@code workspace.packs[1] must be an object}. */
  public static String describe(JacksonException e) {
    String path = e instanceof JsonMappingException mapping ? path(mapping) : "";
    if (e instanceof MismatchedInputException wrong
        && wrong.getClass() == MismatchedInputException.class
        && wrong.getTargetType() != null) {
      return (path.isEmpty() ? "it" : path) + " must be " + word(wrong.getTargetType());
    }
    return path.isEmpty() ? e.getOriginalMessage() : path + ": " + e.getOriginalMessage();
  }

  /** Returns the place in the document, such as {@code workspace.packs[1]}; empty for its root. */
  public static String path(JsonMappingException e) {
    StringBuilder path = new StringBuilder();
    for (JsonMappingException.Reference part : e.getPath()) {
      @Nullable String name = part.getFieldName();
      if (name == null) {
        path.append('[').append(part.getIndex()).append(']');
      } else {
        path.append(path.isEmpty() ? "" : ".").append(name);
      }
    }
    return path.toString();
  }

  private static String word(Class<?> type) {
    if (CharSequence.class.isAssignableFrom(type) || type.isEnum()) {
      return "a string";
    }
    if (type == boolean.class || type == Boolean.class) {
      return "true or false";
    }
    if (type.isPrimitive() || Number.class.isAssignableFrom(type)) {
      return "a number";
    }
    return type.isArray() || Collection.class.isAssignableFrom(type) ? "an array" : "an object";
  }
}
