/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.problem.ControlTextValidator;
import dev.baton.orchestrator.problem.FieldProblem;
import dev.baton.orchestrator.problem.JsonBodyReader;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The body of a resume; empty to let the run go on as it would by itself.
 *
 * @param from a step of the main line that is run again, with all that came after it
 * @param set corrected outputs of completed steps, by the step's path; at most 64 KiB in all
 * @param skip steps to be skipped instead of run; at most 1,000
 * @param workflow {@code name@hash} (or a name) of the definition to go on by; or
 * @param definition inline: an object, or YAML as a text
 * @param acceptChanges of that definition, where what has completed is the same
 * @param by who asks, for the trace
 */
public record ResumeRequest(
    @Nullable String from,
    @Nullable Map<String, JsonNode> set,
    @Nullable List<String> skip,
    @Nullable String workflow,
    @Nullable JsonNode definition,
    @Nullable Boolean acceptChanges,
    @Nullable String by) {
  static final ResumeRequest PLAIN = new ResumeRequest(null, null, null, null, null, null, null);

  private static final int MOST_SKIPPED = 1_000;

  public ResumeRequest {
    set = set == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(set));
    skip = skip == null ? List.of() : List.copyOf(skip);
  }

  /** An empty body asks for nothing special. */
  static ResumeRequest read(byte[] body) {
    return body.length == 0 ? PLAIN : JsonBodyReader.read(body, ResumeRequest.class);
  }

  /** Whether nothing is to be otherwise, so that nothing needs to be looked at. */
  boolean isPlain() {
    return isPlainButDefinition() && workflow == null && definition == null;
  }

  /** Whether nothing but the definition may be otherwise. */
  boolean isPlainButDefinition() {
    return from == null && Map.of().equals(set) && List.of().equals(skip);
  }

  /**
   * @throws ProblemException when it can be right for no run
   */
  void check() {
    ControlTextValidator.check("by", by);
    ControlTextValidator.check("from", from);
    if (set != null && !set.isEmpty()) {
      ControlTextValidator.check("set", dev.baton.protocol.json.Json.mapper().valueToTree(set));
    }
    if (skip != null && skip.size() > MOST_SKIPPED) {
      throw bad("skip", skip.size() + " steps are to be skipped", "at most " + MOST_SKIPPED);
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
    if (workflow != null && definition != null) {
      throw bad("workflow", "both 'workflow' and 'definition' are given", "one of them");
    }
  }

  private static ProblemException bad(String path, String message, String allowed) {
    return ProblemException.withErrors(
        ProblemKind.BAD_PARAMETER,
        message + "; allowed: " + allowed,
        List.of(FieldProblem.at(path, message, allowed)));
  }
}
