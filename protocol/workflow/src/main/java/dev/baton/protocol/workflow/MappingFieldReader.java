/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.expression.Expression;
import dev.baton.protocol.expression.Template;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * Reads the members of a mapping; reports problems instead of throwing exceptions, and returns
 * empty for an invalid member.
 */
record MappingFieldReader(
    DefinitionCursor place, LocatedNode.Members members, DefinitionValueDecoder values) {
  /** Returns empty and reports a problem when the node is not a mapping. */
  static Optional<MappingFieldReader> of(
      DefinitionCursor place, DefinitionValueDecoder values, String allowed) {
    if (place.node() instanceof LocatedNode.Members members) {
      return Optional.of(new MappingFieldReader(place, members, values));
    }
    values
        .problems()
        .error(place, "this must be a mapping, not " + place.node().typeName(), allowed);
    return Optional.empty();
  }

  /** Reports every key that is not one of these. */
  void allowOnly(Collection<String> keys) {
    for (LocatedNode.Entry entry : members.entries()) {
      if (!keys.contains(entry.key())) {
        unknown(entry, "unknown key", keys);
      }
    }
  }

  void unknown(LocatedNode.Entry entry, String what, Collection<String> allowed) {
    values
        .problems()
        .error(
            entry.keyMark(),
            place.step(),
            place.member(entry.key(), entry.value()).path(),
            what + " '" + entry.key() + "'" + SpellingSuggester.didYouMean(entry.key(), allowed),
            String.join(", ", allowed));
  }

  /** Reports a problem when the key is absent or its value is null. */
  void require(String key, String allowed) {
    if (get(key).isEmpty()) {
      missing(key, allowed);
    }
  }

  void missing(String key, String allowed) {
    values.problems().error(place, "'" + key + "' is missing", allowed);
  }

  /** Reports a key that has no place here; no effect where it is absent. */
  void refuse(String key, String problem, String allowed) {
    get(key).ifPresent(at -> values.problems().error(at, problem, allowed));
  }

  /** Returns empty where the key is absent or its value is null. */
  Optional<DefinitionCursor> get(String key) {
    LocatedNode.Entry entry = members.find(key);
    if (entry == null
        || (entry.value() instanceof LocatedNode.Scalar scalar && scalar.value().isNull())) {
      return Optional.empty();
    }
    return Optional.of(place.member(key, entry.value()));
  }

  Optional<String> text(String key, int maxLength) {
    return get(key).flatMap(at -> values.text(at, maxLength));
  }

  Optional<Duration> duration(String key, Duration min, Duration max) {
    return get(key).flatMap(at -> values.duration(at, min, max));
  }

  OptionalInt integer(String key, int min, int max) {
    Optional<Integer> found = get(key).flatMap(at -> values.integer(at, min, max));
    return found.map(OptionalInt::of).orElseGet(OptionalInt::empty);
  }

  Optional<Template> template(String key) {
    return get(key).flatMap(values::template);
  }

  Optional<Expression> expression(String key, DefinitionSymbolTable.Moment moment) {
    return get(key).flatMap(at -> values.expression(at, moment));
  }

  <T> Optional<T> choice(String key, Map<String, T> choices) {
    return get(key).flatMap(at -> values.choice(at, choices));
  }

  Optional<JsonNode> json(String key) {
    return get(key).map(at -> at.node().toJson());
  }

  /**
   * Reads a mapping of names to templates that may contain secrets, sorted by name; empty where the
   * key is absent.
   */
  Map<String, Template> templates(String key, String allowed) {
    Map<String, Template> found = new TreeMap<>();
    get(key)
        .flatMap(at -> of(at, values, allowed))
        .ifPresent(
            fields -> {
              for (LocatedNode.Entry entry : fields.members.entries()) {
                values
                    .secretTemplate(fields.place.member(entry.key(), entry.value()))
                    .ifPresent(template -> found.put(entry.key(), template));
              }
            });
    return found;
  }
}
