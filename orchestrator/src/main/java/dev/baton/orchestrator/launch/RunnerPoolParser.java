/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.launcher.RunnerPoolTemplate;
import dev.baton.orchestrator.problem.FieldProblem;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.workflow.RunnerSelector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the spec of a pool from JSON and collects all of its errors, with what is allowed. */
final class RunnerPoolParser {
  private static final Set<String> FIELDS =
      new TreeSet<>(
          Set.of(
              "launcher",
              "warm",
              "maxRunners",
              "order",
              "labels",
              "image",
              "memory",
              "requestedMemory",
              "cpus",
              "requestedCpus",
              "workSize",
              "tmpSize",
              "grace",
              "nodeSelector",
              "tolerations",
              "priorityClass"));

  /** As in settings: idle runners cost memory, and a mistyped number should not cost much. */
  private static final int MAX_WARM = 64;

  private static final int MAX_RUNNERS = 100_000;
  private static final int MAX_ORDER = 1_000_000;
  private static final int MAX_ENTRIES = 32;
  private static final double MIN_CPUS = 0.01;
  private static final double MAX_CPUS = 1024;
  private static final int MAX_GRACE_SECONDS = 3600;
  private static final Pattern IMAGE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_./:@-]{0,254}");
  private static final Pattern SIZE = Pattern.compile("[1-9][0-9]{0,8}[kmg]");
  private static final Pattern SECONDS = Pattern.compile("([1-9][0-9]{0,3})s");
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");
  private static final Pattern NODE_LABEL =
      Pattern.compile("([a-z0-9.-]{1,253}/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?");
  private static final Pattern NODE_VALUE =
      Pattern.compile("([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?");
  private static final Pattern TOLERATION =
      Pattern.compile(
          NODE_LABEL + "(=" + NODE_VALUE + ")?(:(NoSchedule|PreferNoSchedule|NoExecute))?");

  private final JsonNode spec;
  private final List<FieldProblem> problems = new ArrayList<>();

  private RunnerPoolParser(JsonNode spec) {
    this.spec = spec;
  }

  /**
   * @param name of the pool
   * @param owner of its runners
   * @param launcher of a spec without one
   * @throws ProblemException with all errors
   */
  static RunnerPoolDefinition parse(
      String name, String json, RunnerPoolTemplate.Owner owner, String launcher) {
    return new RunnerPoolParser(object(json)).read(name, owner, launcher);
  }

  private static ObjectNode object(String json) {
    try {
      if (Json.mapper().readTree(json) instanceof ObjectNode fields) {
        return fields;
      }
      throw new ProblemException(ProblemKind.INVALID_INPUT, "spec is not an object");
    } catch (JsonProcessingException e) {
      throw new ProblemException(
          ProblemKind.INVALID_INPUT, "spec is not JSON: " + e.getOriginalMessage());
    }
  }

  private RunnerPoolDefinition read(
      String name, RunnerPoolTemplate.Owner owner, String defaultLauncher) {
    spec.fieldNames()
        .forEachRemaining(
            field -> {
              if (!FIELDS.contains(field)) {
                add(field, "is unknown", String.join(", ", FIELDS));
              }
            });
    if (!RunnerSelector.NAME.matcher(name).matches()) {
      problems.add(
          FieldProblem.at(
              "metadata.name",
              "'" + name + "' is not the name of a pool",
              RunnerSelector.NAME.pattern()));
    }
    String launcher = text("launcher", RunnerSelector.NAME);
    Integer warm = number("warm", 0, MAX_WARM);
    Integer max = number("maxRunners", 0, MAX_RUNNERS);
    if (warm != null && max != null && warm > max) {
      // On one replica these idle runners would never all start.
      add("warm", "is " + warm + ", more than spec.maxRunners", "0 to " + max);
    }
    Integer order = number("order", 0, MAX_ORDER);
    Map<String, String> labels =
        pairs("labels", RunnerSelector.LABEL, RunnerSelector.VALUE, RunnerSelector.MAX_LABELS);
    String grace = text("grace", SECONDS);
    if (grace != null && seconds(grace) > MAX_GRACE_SECONDS) {
      add("grace", "'" + grace + "' is too long", "1s to " + MAX_GRACE_SECONDS + "s");
    }
    RunnerPoolTemplate template =
        new RunnerPoolTemplate(
            text("image", IMAGE),
            size("memory"),
            size("requestedMemory"),
            cpus("cpus"),
            cpus("requestedCpus"),
            size("workSize"),
            size("tmpSize"),
            grace == null ? null : Duration.ofSeconds(seconds(grace)),
            pairs("nodeSelector", NODE_LABEL, NODE_VALUE, MAX_ENTRIES),
            lines("tolerations", TOLERATION),
            text("priorityClass", NAME),
            owner);
    if (!problems.isEmpty()) {
      throw ProblemException.withErrors(
          ProblemKind.INVALID_INPUT,
          problems.size() == 1
              ? "the spec of the pool has one error"
              : "the spec of the pool has " + problems.size() + " errors",
          problems);
    }
    return new RunnerPoolDefinition(
        launcher == null ? defaultLauncher : launcher,
        name,
        warm == null ? 0 : warm,
        max == null ? OptionalInt.empty() : OptionalInt.of(max),
        order == null ? RunnerPoolDefinition.DEFAULT_ORDER : order,
        labels,
        template);
  }

  private void add(String field, String message, String allowed) {
    problems.add(FieldProblem.at("spec." + field, "spec." + field + " " + message, allowed));
  }

  private @Nullable JsonNode value(String field) {
    JsonNode found = spec.get(field);
    return found == null || found.isNull() ? null : found;
  }

  private @Nullable Integer number(String field, int min, int max) {
    JsonNode found = value(field);
    if (found == null) {
      return null;
    }
    if (!found.isIntegralNumber() || found.asLong() < min || found.asLong() > max) {
      add(field, "is " + found, min + " to " + max);
      return null;
    }
    return found.intValue();
  }

  private @Nullable Double cpus(String field) {
    JsonNode found = value(field);
    if (found == null) {
      return null;
    }
    double cpus = found.isNumber() ? found.doubleValue() : Double.NaN;
    if (!(cpus >= MIN_CPUS && cpus <= MAX_CPUS)) {
      add(field, "is " + found, "a number from " + MIN_CPUS + " to " + MAX_CPUS);
      return null;
    }
    return cpus;
  }

  private @Nullable String text(String field, Pattern allowed) {
    JsonNode found = value(field);
    if (found == null) {
      return null;
    }
    if (!found.isTextual() || !allowed.matcher(found.textValue()).matches()) {
      add(field, "is " + found, allowed.pattern());
      return null;
    }
    return found.textValue();
  }

  private @Nullable Long size(String field) {
    String text = text(field, SIZE);
    return text == null ? null : StatedSettings.bytes(text);
  }

  private static int seconds(String grace) {
    return Integer.parseInt(grace.substring(0, grace.length() - 1));
  }

  private Map<String, String> pairs(String field, Pattern keys, Pattern values, int most) {
    JsonNode found = value(field);
    Map<String, String> pairs = new LinkedHashMap<>();
    if (found == null) {
      return pairs;
    }
    if (!found.isObject() || found.size() > most) {
      add(field, "is not a map of at most " + most + " texts", "KEY: VALUE");
      return pairs;
    }
    found
        .properties()
        .forEach(
            entry -> {
              if (!keys.matcher(entry.getKey()).matches()) {
                add(field, "has the key '" + entry.getKey() + "'", keys.pattern());
              } else if (!entry.getValue().isTextual()
                  || !values.matcher(entry.getValue().textValue()).matches()) {
                add(field + "." + entry.getKey(), "is " + entry.getValue(), values.pattern());
              } else {
                pairs.put(entry.getKey(), entry.getValue().textValue());
              }
            });
    return pairs;
  }

  private List<String> lines(String field, Pattern allowed) {
    JsonNode found = value(field);
    List<String> lines = new ArrayList<>();
    if (found == null) {
      return lines;
    }
    if (!found.isArray() || found.size() > MAX_ENTRIES) {
      add(field, "is not a list of at most " + MAX_ENTRIES + " texts", allowed.pattern());
      return lines;
    }
    for (JsonNode line : found) {
      if (line.isTextual() && allowed.matcher(line.textValue()).matches()) {
        lines.add(line.textValue());
      } else {
        add(field, "has " + line, allowed.pattern());
      }
    }
    return lines;
  }
}
