/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.math.BigDecimal;
import java.net.URI;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;

/**
 * Determines which JSON types a JSON Schema allows for one property of an object. Evaluates {@code
 * type}, {@code const}, {@code enum}, {@code $ref} within the schema, {@code allOf}, {@code anyOf},
 * {@code oneOf}, {@code properties}, {@code patternProperties} and {@code additionalProperties}.
 * Other keywords do not restrict the types here; the server validates the whole value.
 */
final class SchemaTypeResolver {
  private static final int MAX_DEPTH = 32;

  /** The types of JSON Schema; a whole number is {@link #INTEGER}, any other {@link #NUMBER}. */
  enum Type {
    STRING,
    NUMBER,
    INTEGER,
    BOOLEAN,
    OBJECT,
    ARRAY,
    NULL;

    static Type of(JsonNode value) {
      return switch (value.getNodeType()) {
        case STRING, BINARY -> STRING;
        case NUMBER -> isWhole(value.decimalValue()) ? INTEGER : NUMBER;
        case BOOLEAN -> BOOLEAN;
        case OBJECT, POJO -> OBJECT;
        case ARRAY -> ARRAY;
        case NULL, MISSING -> NULL;
      };
    }

    /** Whether JSON Schema treats the number as an integer: 1.0 and 1e3 are integers. */
    private static boolean isWhole(BigDecimal number) {
      return number.signum() == 0 || number.stripTrailingZeros().scale() <= 0;
    }
  }

  private final JsonNode root;

  SchemaTypeResolver(JsonNode root) {
    this.root = root;
  }

  /** Returns all types if the schema does not restrict the property, or allows none. */
  Set<Type> of(String property) {
    Set<Type> types = ofProperty(root, property, 0);
    return types.isEmpty() ? EnumSet.allOf(Type.class) : types;
  }

  /** Formats types for messages: {@code integer or null}. */
  static String words(Set<Type> types) {
    // A number may be whole, so 'integer' in addition is redundant.
    return types.stream()
        .filter(type -> type != Type.INTEGER || !types.contains(Type.NUMBER))
        .map(type -> type.name().toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(" or "));
  }

  private EnumSet<Type> ofProperty(JsonNode schema, String property, int depth) {
    EnumSet<Type> types = EnumSet.allOf(Type.class);
    if (!schema.isObject() || depth > MAX_DEPTH) {
      return types;
    }
    JsonNode direct = schema.path("properties").path(property);
    boolean known = !direct.isMissingNode();
    if (known) {
      types.retainAll(of(direct, depth + 1));
    }
    for (Map.Entry<String, JsonNode> pattern : schema.path("patternProperties").properties()) {
      if (matches(pattern.getKey(), property)) {
        known = true;
        types.retainAll(of(pattern.getValue(), depth + 1));
      }
    }
    if (!known) {
      types.retainAll(of(schema.path("additionalProperties"), depth + 1));
    }
    return combined(schema, types, depth, part -> ofProperty(part, property, depth + 1));
  }

  private EnumSet<Type> of(JsonNode schema, int depth) {
    EnumSet<Type> types = EnumSet.allOf(Type.class);
    if (!schema.isObject() || depth > MAX_DEPTH) {
      return types;
    }
    JsonNode type = schema.path("type");
    if (type.isTextual()) {
      types.retainAll(named(type.textValue()));
    } else if (type.isArray()) {
      EnumSet<Type> any = EnumSet.noneOf(Type.class);
      type.forEach(name -> any.addAll(named(name.asText())));
      types.retainAll(any);
    }
    if (schema.has("const")) {
      types.retainAll(EnumSet.of(Type.of(schema.path("const"))));
    }
    if (schema.path("enum").isArray()) {
      EnumSet<Type> any = EnumSet.noneOf(Type.class);
      schema.path("enum").forEach(value -> any.add(Type.of(value)));
      types.retainAll(any);
    }
    return combined(schema, types, depth, part -> of(part, depth + 1));
  }

  private interface Part {
    EnumSet<Type> types(JsonNode schema);
  }

  private EnumSet<Type> combined(JsonNode schema, EnumSet<Type> types, int depth, Part part) {
    String reference = schema.path("$ref").asText("");
    if (reference.startsWith("#") && depth <= MAX_DEPTH) {
      types.retainAll(part.types(target(reference)));
    }
    schema.path("allOf").forEach(each -> types.retainAll(part.types(each)));
    for (String keyword : new String[] {"anyOf", "oneOf"}) {
      if (schema.path(keyword).isArray()) {
        EnumSet<Type> any = EnumSet.noneOf(Type.class);
        schema.path(keyword).forEach(each -> any.addAll(part.types(each)));
        types.retainAll(any);
      }
    }
    return types;
  }

  /**
   * Follows a JSON pointer in a fragment; an unresolvable reference does not restrict the types.
   */
  private JsonNode target(String reference) {
    try {
      String pointer = URI.create(reference).getFragment();
      return pointer.isEmpty() || pointer.startsWith("/")
          ? root.at(pointer)
          : MissingNode.getInstance();
    } catch (IllegalArgumentException foreign) {
      // Not a valid address: the server reports it.
      return MissingNode.getInstance();
    }
  }

  private static boolean matches(String pattern, String property) {
    try {
      return Pattern.compile(pattern).matcher(property).find();
    } catch (PatternSyntaxException foreign) {
      // Of another dialect, which the server validates: it does not restrict the types here.
      return false;
    }
  }

  private static EnumSet<Type> named(String name) {
    return switch (name) {
      case "string" -> EnumSet.of(Type.STRING);
      case "number" -> EnumSet.of(Type.NUMBER, Type.INTEGER);
      case "integer" -> EnumSet.of(Type.INTEGER);
      case "boolean" -> EnumSet.of(Type.BOOLEAN);
      case "object" -> EnumSet.of(Type.OBJECT);
      case "array" -> EnumSet.of(Type.ARRAY);
      case "null" -> EnumSet.of(Type.NULL);
      default -> EnumSet.allOf(Type.class);
    };
  }
}
