/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.document;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.RecordComponentInfo;
import org.jspecify.annotations.Nullable;

/** Finds the record of a schema, and requires its components that are not nullable. */
final class RecordSchemaIndex {
  private static final DotName SCHEMA =
      DotName.createSimple("org.eclipse.microprofile.openapi.annotations.media.Schema");
  private static final DotName UNWRAPPED = DotName.createSimple(JsonUnwrapped.class);
  private static final DotName NULLABLE = DotName.createSimple(Nullable.class);
  private static final DotName INCLUDE =
      DotName.createSimple("com.fasterxml.jackson.annotation.JsonInclude");

  private final IndexView index;
  private final Map<String, List<ClassInfo>> bySchema = new HashMap<>();

  RecordSchemaIndex(IndexView index) {
    this.index = index;
    for (ClassInfo type : index.getKnownClasses()) {
      if (type.isRecord() && type.name().toString().startsWith("dev.baton.")) {
        bySchema.computeIfAbsent(schemaName(type), name -> new ArrayList<>()).add(type);
      }
    }
  }

  private static String schemaName(ClassInfo type) {
    AnnotationInstance schema = type.declaredAnnotation(SCHEMA);
    return schema == null || schema.value("name") == null
        ? type.simpleName()
        : schema.value("name").asString();
  }

  /**
   * Sets the required properties of a schema that describes a record, and removes properties that
   * are not components of it; leaves other schemas unchanged.
   */
  void require(String name, Schema schema) {
    if (schema.getProperties() == null) {
      return;
    }
    Set<String> properties = Set.copyOf(schema.getProperties().keySet());
    for (ClassInfo type : bySchema.getOrDefault(name, List.of())) {
      Map<String, Boolean> components = components(type);
      if (properties.containsAll(components.keySet())) {
        properties.stream()
            .filter(property -> !components.containsKey(property))
            .forEach(schema::removeProperty);
        Set<String> required = new TreeSet<>();
        if (schema.getRequired() != null) {
          // A body that is checked by hand: its record accepts null, to name what is missing.
          required.addAll(schema.getRequired());
        }
        components.keySet().stream().filter(components::get).forEach(required::add);
        schema.setRequired(required.isEmpty() ? null : List.copyOf(required));
        return;
      }
    }
  }

  /** Returns the names of all components on the wire, each with whether it is always present. */
  private Map<String, Boolean> components(ClassInfo type) {
    Map<String, Boolean> names = new LinkedHashMap<>();
    for (RecordComponentInfo component : type.recordComponents()) {
      ClassInfo nested =
          isMarked(type, component, UNWRAPPED)
              ? index.getClassByName(component.type().name())
              : null;
      if (nested == null) {
        names.put(
            PropertyNamingStrategies.SnakeCaseStrategy.INSTANCE.translate(component.name()),
            !component.type().hasAnnotation(NULLABLE) && !isMarked(type, component, INCLUDE));
      } else {
        names.putAll(components(nested));
      }
    }
    return names;
  }

  private static boolean isMarked(
      ClassInfo type, RecordComponentInfo component, DotName annotation) {
    return component.hasAnnotation(annotation)
        || type.field(component.name()).hasAnnotation(annotation);
  }
}
