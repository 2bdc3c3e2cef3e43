/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.networknt.schema.Error;
import com.networknt.schema.ExecutionContextCustomizer;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaException;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.ValidationLimitExceededException;
import com.networknt.schema.path.PathType;
import com.networknt.schema.regex.RegularExpression;
import dev.baton.protocol.json.JsonValueChecker;
import dev.baton.protocol.regex.BoundedPattern;
import dev.baton.protocol.regex.RegexException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * A JSON Schema (2020-12) of a run's input or an approval's answer. Nothing is fetched: a {@code
 * $ref} can only point into the schema. Thread-safe; compiled at its first use.
 */
public final class InputSchema {
  /** Accepts every value. */
  public static final InputSchema ANY = new InputSchema(BooleanNode.TRUE);

  private static final int MAX_PROBLEMS = 50;

  /** Time limit of all pattern matches of one validation, in milliseconds. */
  public static final int MAX_MILLIS = 1_000;

  /** Maximum number of keyword evaluations of one validation. */
  public static final int MAX_STEPS = 1_000_000;

  /** Maximum nesting of schemas, and length of a chain of references. */
  public static final int MAX_DEPTH = 200;

  /** Deadline for pattern matches of the validation on this thread, by {@link System#nanoTime}. */
  private static final ThreadLocal<Long> DEADLINE = new ThreadLocal<>();

  /** Loaded at its first use, since running a workflow does not need it. */
  private static final class MetaSchema {
    static final Schema SCHEMA = registry().getSchema(SchemaLocation.of(META));
  }

  private static final String META = "https://json-schema.org/draft/2020-12/schema";

  /**
   * @param pointer to the invalid value, as {@code /a/0/b}; empty for the whole
   */
  public record Violation(String pointer, String message) {}

  private final JsonNode schema;
  private volatile @Nullable Schema compiled;

  public InputSchema(JsonNode schema) {
    this.schema = schema;
  }

  public JsonNode json() {
    return schema;
  }

  /**
   * Validates a value; returns at most {@value #MAX_PROBLEMS} violations, empty when it is valid. A
   * value whose check exceeds {@link #MAX_MILLIS}, {@link #MAX_STEPS} or {@link #MAX_DEPTH} is
   * invalid, which the violation states. Blocks for that long: do not call it on an event loop.
   *
   * @throws IllegalStateException when the schema itself is invalid, which {@link #check} reports
   *     beforehand
   */
  public List<Violation> validate(JsonNode value) {
    if (schema.isBoolean() && schema.booleanValue()) {
      return List.of();
    }
    DEADLINE.set(System.nanoTime() + MAX_MILLIS * 1_000_000L);
    try {
      return violations(compiled().validate(SchemaNodeConverter.of(value), LIMITS));
    } catch (ValidationLimitExceededException | StackOverflowError e) {
      return List.of(new Violation("", "the check against the schema exceeds its limits"));
    } catch (RegexException e) {
      return List.of(
          new Violation("", "the check against a pattern was stopped: " + e.getMessage()));
    } catch (JacksonException e) {
      // Thrown where an integer has a minimum or maximum, instead of a violation of its type.
      return List.of(
          new Violation(
              "", "a number that must be an integer has a fraction: " + e.getOriginalMessage()));
    } catch (SchemaException e) {
      throw new IllegalStateException("the schema is invalid: " + e.getMessage(), e);
    } finally {
      DEADLINE.remove();
    }
  }

  /** Returns the violations of the schema itself; pointers are into the schema. */
  List<Violation> check() {
    if (!schema.isObject() && !schema.isBoolean()) {
      return List.of(new Violation("", "a JSON Schema is a mapping"));
    }
    String problem = JsonValueChecker.problem(schema);
    if (problem != null) {
      return List.of(new Violation("", "the schema has " + problem));
    }
    List<Violation> shape = violations(MetaSchema.SCHEMA.validate(SchemaNodeConverter.of(schema)));
    if (!shape.isEmpty()) {
      return shape;
    }
    try {
      compiled();
      return List.of();
    } catch (StackOverflowError e) {
      return List.of(new Violation("", "the schema is nested too deeply"));
    } catch (JacksonException e) {
      return List.of(new Violation("", "a number is too large: " + e.getOriginalMessage()));
    } catch (SchemaException | IllegalArgumentException | RegexException e) {
      String message = Optional.ofNullable(e.getMessage()).orElse("broken");
      return List.of(new Violation("", message.lines().findFirst().orElse("broken")));
    }
  }

  private Schema compiled() {
    Schema known = compiled;
    if (known == null) {
      known = registry().getSchema(SchemaNodeConverter.of(schema));
      known.initializeValidators();
      compiled = known;
    }
    return known;
  }

  /**
   * Creates a registry for each schema: a registry caches schemas by the id they claim, and
   * definitions must not share them.
   */
  private static SchemaRegistry registry() {
    SchemaRegistryConfig config =
        SchemaRegistryConfig.builder()
            .locale(Locale.ENGLISH)
            .pathType(PathType.JSON_POINTER)
            .regularExpressionFactory(InputSchema::matcher)
            .build();
    return SchemaRegistry.withDefaultDialect(
        SpecificationVersion.DRAFT_2020_12, builder -> builder.schemaRegistryConfig(config));
  }

  private static RegularExpression matcher(String pattern) {
    BoundedPattern bounded = BoundedPattern.ofSchema(pattern);
    return text -> {
      Long deadline = DEADLINE.get();
      long left = deadline == null ? MAX_MILLIS * 1_000_000L : deadline - System.nanoTime();
      return bounded.isIn(text, Math.max(1, left));
    };
  }

  private static final ExecutionContextCustomizer LIMITS =
      (execution, schema) ->
          execution.executionConfig(
              config -> config.maxEvaluationSteps(MAX_STEPS).maxEvaluationDepth(MAX_DEPTH));

  private static List<Violation> violations(List<Error> errors) {
    return errors.stream()
        .limit(MAX_PROBLEMS)
        .map(error -> new Violation(error.getInstanceLocation().toString(), error.getMessage()))
        .toList();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof InputSchema that && that.schema.equals(schema);
  }

  @Override
  public int hashCode() {
    return schema.hashCode();
  }

  @Override
  public String toString() {
    return schema.toString();
  }
}
