/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.workflow.DurationParser;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Selects runs. A null or empty field does not filter; {@link #of} parses the parameters of
 * callers.
 *
 * @param statuses any of them
 * @param labels all of them
 * @param since created at or after this time, according to the run's id
 * @param until created before this time
 */
public record RunQueryFilter(
    List<String> statuses,
    @Nullable String project,
    @Nullable String workflow,
    @Nullable String hash,
    Map<String, String> labels,
    @Nullable Instant since,
    @Nullable Instant until) {
  private static final int MOST_LABELS = 64;

  public RunQueryFilter {
    statuses = List.copyOf(statuses);
    labels = Map.copyOf(labels);
  }

  /** The unparsed parameters. */
  public record Words(
      @Nullable List<String> status,
      @Nullable String project,
      @Nullable String workflow,
      @Nullable List<String> label,
      @Nullable String since,
      @Nullable String until) {}

  /**
   * @throws ProblemException that names the parameter and the allowed values
   */
  public static RunQueryFilter of(Words words) {
    String workflow = words.workflow();
    int at = workflow == null ? -1 : workflow.indexOf('@');
    Instant now = Instant.now();
    Instant since = instant("since", words.since(), now);
    Instant until = instant("until", words.until(), now);
    if (since != null && until != null && !since.isBefore(until)) {
      throw bad("until=" + words.until(), "a moment after since=" + words.since());
    }
    return new RunQueryFilter(
        statuses(words.status()),
        words.project(),
        workflow == null || at < 0 ? workflow : workflow.substring(0, at),
        workflow == null || at < 0 ? null : workflow.substring(at + 1),
        labels(words.label()),
        since,
        until);
  }

  /** The same filter with these statuses if it has none. */
  public RunQueryFilter orStatuses(List<String> others) {
    return statuses.isEmpty()
        ? new RunQueryFilter(others, project, workflow, hash, labels, since, until)
        : this;
  }

  /** Whether every run matches. */
  public boolean isEmpty() {
    return equals(new RunQueryFilter(List.of(), null, null, null, Map.of(), null, null));
  }

  /** Each parameter may be a comma-separated list. */
  private static List<String> statuses(@Nullable List<String> words) {
    List<String> known = Arrays.stream(RunStatus.values()).map(RunStatus::word).toList();
    List<String> statuses = new ArrayList<>();
    for (String word : words == null ? List.<String>of() : words) {
      for (String status : word.split(",", -1)) {
        if (!known.contains(status)) {
          throw bad("status=" + status, String.join(", ", known));
        }
        statuses.add(status);
      }
    }
    return statuses;
  }

  private static Map<String, String> labels(@Nullable List<String> words) {
    Map<String, String> labels = new TreeMap<>();
    for (String label : words == null ? List.<String>of() : words) {
      int equals = label.indexOf('=');
      if (equals < 1) {
        throw bad("label=" + label, "<name>=<value>");
      }
      String value = label.substring(equals + 1);
      String other = labels.put(label.substring(0, equals), value);
      if (other != null && !other.equals(value)) {
        throw bad("label=" + label, "one value for a name; '" + other + "' is another");
      }
    }
    if (labels.size() > MOST_LABELS) {
      throw bad(labels.size() + " labels", "at most " + MOST_LABELS);
    }
    return labels;
  }

  private static @Nullable Instant instant(String name, @Nullable String text, Instant now) {
    if (text == null) {
      return null;
    }
    var back = DurationParser.parse(text);
    if (back.isPresent()) {
      return now.minus(back.get());
    }
    try {
      return Instant.parse(text.toUpperCase(Locale.ROOT));
    } catch (DateTimeParseException e) {
      throw bad(name + "=" + text, "how long ago (2h, 7d), or a moment (2030-01-31T12:00:00Z)");
    }
  }

  /** Builds the conditions, and adds their parameters to the list. */
  String where(List<Object> parameters) {
    List<String> conditions = new ArrayList<>();
    if (!statuses.isEmpty()) {
      parameters.add(statuses.toArray(String[]::new));
      conditions.add("r.status = ANY($" + parameters.size() + ")");
    }
    equal(conditions, parameters, "r.project", project);
    equal(conditions, parameters, "r.workflow", workflow);
    equal(conditions, parameters, "r.definition_hash", hash);
    if (!labels.isEmpty()) {
      ObjectNode wanted = Json.mapper().createObjectNode();
      labels.forEach(wanted::put);
      parameters.add(wanted.toString());
      conditions.add("r.labels @> $" + parameters.size() + "::text::jsonb");
    }
    if (since != null) {
      parameters.add(RunId.firstOf(since));
      conditions.add("r.id >= $" + parameters.size());
    }
    if (until != null) {
      parameters.add(RunId.firstOf(until));
      conditions.add("r.id < $" + parameters.size());
    }
    return conditions.isEmpty() ? "true" : conditions.stream().collect(Collectors.joining(" AND "));
  }

  private static void equal(
      List<String> conditions, List<Object> parameters, String column, @Nullable String value) {
    if (value != null) {
      parameters.add(value);
      conditions.add(column + " = $" + parameters.size());
    }
  }

  private static ProblemException bad(String what, String allowed) {
    return new ProblemException(
        ProblemKind.BAD_PARAMETER, what + " is not allowed; allowed: " + allowed);
  }
}
