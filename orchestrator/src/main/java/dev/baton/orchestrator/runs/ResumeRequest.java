/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.identity.Caller;
import dev.baton.orchestrator.problem.ControlTextValidator;
import dev.baton.orchestrator.problem.FieldProblem;
import dev.baton.orchestrator.problem.JsonBodyReader;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.trace.ModelBudget;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The body of a resume; empty to continue the run without changes.
 *
 * @param from a step of the main line to run again, with all steps after it
 * @param set corrected outputs of completed steps, by the step's path; at most 64 KiB in all
 * @param skip steps to skip; at most 1,000
 * @param workflow {@code name@hash} (or a name) of the definition to continue with; or
 * @param definition inline: an object, or YAML as a text
 * @param acceptChanges accepts a changed definition if it does not change completed steps
 * @param budget limits that replace those of the same names in the run's agent steps; each above 0
 * @param by name of the requester, which is not verified; for the trace, after that of the caller
 */
public record ResumeRequest(
    @Nullable String from,
    @Nullable Map<String, JsonNode> set,
    @Nullable List<String> skip,
    @Nullable String workflow,
    @Nullable JsonNode definition,
    @Nullable Boolean acceptChanges,
    @Nullable ModelBudget budget,
    @Nullable String by) {
  /** Requests no changes and states no requester. */
  public static final ResumeRequest PLAIN =
      new ResumeRequest(null, null, null, null, null, null, null, null);

  private static final int MOST_SKIPPED = 1_000;

  public ResumeRequest {
    set = set == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(set));
    skip = skip == null ? List.of() : List.copyOf(skip);
  }

  /** Reads a body; an empty one requests no changes. */
  static ResumeRequest read(byte[] body) {
    return body.length == 0 ? PLAIN : JsonBodyReader.read(body, ResumeRequest.class);
  }

  /** Returns the same request with its author in place of the name that it states. */
  ResumeRequest by(Caller caller) {
    return new ResumeRequest(
        from, set, skip, workflow, definition, acceptChanges, budget, caller.author(by));
  }

  /** Whether no change is requested, so that no check is needed. */
  boolean isPlain() {
    return isPlainButDefinition() && workflow == null && definition == null;
  }

  /** Whether no change other than the definition is requested. */
  boolean isPlainButDefinition() {
    return from == null && budget == null && Map.of().equals(set) && List.of().equals(skip);
  }

  /**
   * @throws ProblemException when the request is invalid for every run
   */
  void check() {
    ControlTextValidator.check("by", by);
    ControlTextValidator.check("from", from);
    if (set != null && !set.isEmpty()) {
      ControlTextValidator.check("set", dev.baton.protocol.json.Json.mapper().valueToTree(set));
    }
    if (skip != null && skip.size() > MOST_SKIPPED) {
      throw bad("skip", skip.size() + " steps to skip", "at most " + MOST_SKIPPED);
    }
    if (skip != null) {
      skip.forEach(step -> ControlTextValidator.check("skip", step));
    }
    if (from != null && from.indexOf('/') >= 0) {
      throw bad(
          "from",
          "step '%s' is in a branch of '%s'".formatted(from, from.substring(0, from.indexOf('/'))),
          "a step of the main line: the parallel itself, for example");
    }
    checkBudget();
    if (workflow != null && definition != null) {
      throw bad("workflow", "both 'workflow' and 'definition' are given", "one of them");
    }
  }

  private void checkBudget() {
    if (budget == null) {
      return;
    }
    if (budget.cost() != null && budget.cost().signum() <= 0) {
      throw bad("budget.cost", budget.cost() + " is not a budget", "US dollars above 0");
    }
    if (budget.tokens() != null && budget.tokens() < 1) {
      throw bad("budget.tokens", budget.tokens() + " is not a budget", "1 or more");
    }
    if (budget.turns() != null && budget.turns() < 1) {
      throw bad("budget.turns", budget.turns() + " is not a budget", "1 or more");
    }
    if (budget.equals(ModelBudget.NONE)) {
      throw bad("budget", "the budget is empty", "cost, tokens or turns");
    }
  }

  private static ProblemException bad(String path, String message, String allowed) {
    return ProblemException.withErrors(
        ProblemKind.BAD_PARAMETER,
        message + "; allowed: " + allowed,
        List.of(FieldProblem.at(path, message, allowed)));
  }
}
