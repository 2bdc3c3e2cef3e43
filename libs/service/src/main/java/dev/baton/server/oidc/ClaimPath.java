/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server.oidc;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where a claim is in a token: its name, which may contain dots itself, or, if no claim has this
 * name, the path to it through objects, such as {@code realm_access.roles}.
 */
public record ClaimPath(String text) {
  private static final int MAX_LENGTH = 200;

  /** Claims that are one text with values between spaces (RFC 6749 and its dialects). */
  private static final Set<String> SPACED = Set.of("scope", "scp");

  /**
   * @throws IllegalArgumentException if it is empty, longer than 200 characters, or has an empty
   *     part
   */
  public static ClaimPath parse(String text) {
    if (text.isBlank()
        || text.length() > MAX_LENGTH
        || List.of(text.split("\\.", -1)).contains("")) {
      throw new IllegalArgumentException("'" + text + "' is not the name of a claim");
    }
    return new ClaimPath(text);
  }

  private @Nullable Object value(Map<String, Object> claims) {
    Object named = claims.get(text);
    if (named != null) {
      return named;
    }
    Object value = claims;
    for (String part : text.split("\\.", -1)) {
      value = value instanceof Map<?, ?> object ? object.get(part) : null;
    }
    return value;
  }

  /** Returns the text of the claim; empty if it is missing or is not a text. */
  Optional<String> text(Map<String, Object> claims) {
    return value(claims) instanceof String found && !found.isBlank()
        ? Optional.of(found)
        : Optional.empty();
  }

  /** Returns the texts of the claim: those of a list, or one. Others are not values. */
  List<String> texts(Map<String, Object> claims) {
    Object value = value(claims);
    if (value instanceof String one) {
      return SPACED.contains(text) ? List.of(one.split(" ")) : List.of(one);
    }
    List<String> texts = new ArrayList<>();
    if (value instanceof Collection<?> several) {
      for (Object entry : several) {
        if (entry instanceof String one) {
          texts.add(one);
        }
      }
    }
    return texts;
  }
}
