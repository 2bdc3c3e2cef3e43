/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.document;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import dev.baton.orchestrator.problem.ProblemDocument;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.problem.ProblemSet;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.Components;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.media.MediaType;
import org.eclipse.microprofile.openapi.models.parameters.Parameter;
import org.eclipse.microprofile.openapi.models.responses.APIResponse;
import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;

/**
 * Describes the error responses of an operation: one per status, with an example for each of its
 * problem types.
 */
final class ProblemResponseBuilder {
  private static final DotName OPERATION =
      DotName.createSimple("org.eclipse.microprofile.openapi.annotations.Operation");
  private static final DotName PROBLEMS = DotName.createSimple(ProblemSet.class);
  private static final Set<String> CHANGING = Set.of("POST", "PUT", "PATCH", "DELETE");

  private final Map<String, Set<ProblemKind>> declared = new HashMap<>();

  ProblemResponseBuilder(IndexView index) {
    for (AnnotationInstance operation : index.getAnnotations(OPERATION)) {
      if (operation.target().kind() == AnnotationTarget.Kind.METHOD
          && operation.value("operationId") != null) {
        AnnotationInstance problems = operation.target().asMethod().annotation(PROBLEMS);
        declared.put(
            operation.value("operationId").asString(),
            problems == null
                ? Set.of()
                : List.of(problems.value().asEnumArray()).stream()
                    .map(ProblemKind::valueOf)
                    .collect(Collectors.toCollection(() -> EnumSet.noneOf(ProblemKind.class))));
      }
    }
  }

  /** Adds the error responses of an operation; responses that several share become components. */
  void add(Components components, String method, Operation operation) {
    Map<Integer, Set<ProblemKind>> byStatus = new TreeMap<>();
    for (ProblemKind kind : kinds(method, operation)) {
      byStatus
          .computeIfAbsent(kind.status(), status -> EnumSet.noneOf(ProblemKind.class))
          .add(kind);
    }
    byStatus.forEach(
        (status, kinds) -> {
          String name = name(kinds);
          if (components.getResponses() == null || !components.getResponses().containsKey(name)) {
            components.addResponse(name, response(kinds));
          }
          operation
              .getResponses()
              .addAPIResponse(Integer.toString(status), OASFactory.createAPIResponse().ref(name));
        });
  }

  private Set<ProblemKind> kinds(String method, Operation operation) {
    Set<ProblemKind> kinds =
        EnumSet.of(
            ProblemKind.UNAUTHENTICATED,
            ProblemKind.FORBIDDEN,
            ProblemKind.CROSS_SITE,
            ProblemKind.MISDIRECTED,
            ProblemKind.NOT_ACCEPTABLE,
            ProblemKind.INTERNAL,
            ProblemKind.BUSY,
            ProblemKind.UNAVAILABLE);
    List<Parameter> parameters =
        operation.getParameters() == null ? List.of() : operation.getParameters();
    if (!parameters.isEmpty()) {
      kinds.add(ProblemKind.BAD_PARAMETER);
    }
    if (parameters.stream().anyMatch(p -> "Idempotency-Key".equals(p.getName()))) {
      kinds.add(ProblemKind.IDEMPOTENCY_KEY_REUSED);
    }
    if (CHANGING.contains(method)) {
      kinds.add(ProblemKind.UNSUPPORTED_MEDIA_TYPE);
    }
    if (operation.getRequestBody() != null) {
      kinds.add(ProblemKind.BAD_PARAMETER);
      kinds.add(ProblemKind.MALFORMED_REQUEST);
      kinds.add(ProblemKind.TOO_LARGE);
    }
    kinds.addAll(
        Objects.requireNonNull(
            declared.get(operation.getOperationId()),
            () -> operation.getOperationId() + ": an operation has no explicit operationId"));
    return kinds;
  }

  /** Returns for example {@code AmbiguousIdOrConflict}. */
  private static String name(Set<ProblemKind> kinds) {
    return kinds.stream()
        .map(
            kind -> PropertyNamingStrategies.UpperCamelCaseStrategy.INSTANCE.translate(camel(kind)))
        .collect(Collectors.joining("Or"));
  }

  private static String camel(ProblemKind kind) {
    return Pattern.compile("_(.)")
        .matcher(kind.name().toLowerCase(Locale.ROOT))
        .replaceAll(match -> match.group(1).toUpperCase(Locale.ROOT));
  }

  private static APIResponse response(Set<ProblemKind> kinds) {
    MediaType media = OASFactory.createMediaType().schema(OASFactory.createSchema().ref("Problem"));
    for (ProblemKind kind : kinds) {
      media.addExample(
          kind.name().toLowerCase(Locale.ROOT),
          OASFactory.createExample().summary(kind.title()).value(example(kind)));
    }
    return OASFactory.createAPIResponse()
        .description(kinds.stream().map(ProblemKind::title).collect(Collectors.joining("; ")))
        .content(OASFactory.createContent().addMediaType(ProblemDocument.MEDIA_TYPE, media));
  }

  private static Map<String, Object> example(ProblemKind kind) {
    Map<String, Object> example = new LinkedHashMap<>();
    example.put("type", kind.type());
    example.put("title", kind.title());
    example.put("status", kind.status());
    example.put("detail", "what is wrong, and what is allowed");
    example.put("instance", "/the/requested/path");
    return example;
  }
}
