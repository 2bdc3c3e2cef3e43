/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.expression;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON whose strings are templates; member names are not templates. Immutable, thread-safe. */
public sealed interface TemplateTree {
  record Text(Template template) implements TemplateTree {}

  record Value(JsonNode value) implements TemplateTree {}

  record Items(List<TemplateTree> items) implements TemplateTree {
    public Items {
      items = List.copyOf(items);
    }
  }

  record Members(Map<String, TemplateTree> members) implements TemplateTree {
    public Members {
      members = new LinkedHashMap<>(members);
    }
  }

  /**
   * @throws ExpressionException as {@link Template#evaluate}
   */
  default JsonNode evaluate(ExpressionScope scope) {
    return evaluate(scope, SecretProvider.NONE);
  }

  /**
   * @param secrets returns the values of the secrets that it contains
   * @throws ExpressionException as {@link Template#evaluate}
   */
  default JsonNode evaluate(ExpressionScope scope, SecretProvider secrets) {
    return switch (this) {
      case Text(Template template) -> template.evaluate(scope, secrets);
      case Value(JsonNode value) -> value;
      case Items(List<TemplateTree> items) -> {
        ArrayNode array = JsonNodeFactory.instance.arrayNode(items.size());
        items.forEach(item -> array.add(item.evaluate(scope, secrets)));
        yield array;
      }
      case Members(Map<String, TemplateTree> members) -> {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        members.forEach((name, member) -> object.set(name, member.evaluate(scope, secrets)));
        yield object;
      }
    };
  }

  /** Returns the secrets that its templates contain. */
  default List<SecretPlaceholder> secrets() {
    return switch (this) {
      case Text(Template template) -> template.secrets();
      case Value(JsonNode value) -> List.of();
      case Items(List<TemplateTree> items) ->
          items.stream().flatMap(item -> item.secrets().stream()).toList();
      case Members(Map<String, TemplateTree> members) ->
          members.values().stream().flatMap(member -> member.secrets().stream()).toList();
    };
  }
}
