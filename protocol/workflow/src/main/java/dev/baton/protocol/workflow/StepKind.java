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
import dev.baton.protocol.expression.TemplateTree;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What a step does. */
public sealed interface StepKind {
  /** The name of the list that each branch of an {@link Over} walks. */
  String EACH = "*";

  /** As a definition and the trace name it. */
  String word();

  /** The lists of steps within it, by their branches' names. */
  default Map<String, StepFlow> lists() {
    return Map.of();
  }

  /**
   * Runs {@code <interpreter…> <script>}.
   *
   * @param script text, never a template: data reaches it through {@code env}, where nothing can be
   *     taken for code
   * @param interpreter the words before the script
   * @param okExitCodes what counts as success
   */
  record Shell(
      String script,
      Map<String, Template> env,
      List<String> interpreter,
      ShellOutput output,
      Set<Integer> okExitCodes)
      implements StepKind {
    public static final int MAX_SCRIPT = 64 * 1024;
    public static final List<String> DEFAULT_INTERPRETER = List.of("/bin/sh", "-e", "-c");

    public Shell {
      env = new LinkedHashMap<>(env);
      interpreter = List.copyOf(interpreter);
      okExitCodes = Set.copyOf(okExitCodes);
    }

    @Override
    public String word() {
      return "shell";
    }
  }

  /**
   * @param timeout of the request, answer included
   * @param expect status codes that count as success; any 2xx where empty
   */
  record Http(
      String method,
      Template url,
      Map<String, Template> headers,
      Optional<TemplateTree> body,
      Duration timeout,
      Set<Integer> expect)
      implements StepKind {
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    public Http {
      headers = new LinkedHashMap<>(headers);
      expect = Set.copyOf(expect);
    }

    public boolean expects(int status) {
      return expect.isEmpty() ? status >= 200 && status <= 299 : expect.contains(status);
    }

    @Override
    public String word() {
      return "http";
    }
  }

  record Transform(Expression expression) implements StepKind {
    @Override
    public String word() {
      return "transform";
    }
  }

  /** Branches side by side; each is its own list of steps with its own journal. */
  sealed interface Parallel extends StepKind {
    /** Items or branches a parallel may have. */
    int MAX_WIDTH = 10_000;

    /** Branches at the same time, where nothing is said. */
    int DEFAULT_MAX = 8;

    /** How many branches run at the same time, 1 to {@link #MAX_WIDTH}. */
    int max();

    /** How many of them must end well. */
    JoinPolicy join();

    @Override
    default String word() {
      return "parallel";
    }
  }

  /**
   * One branch for each item of a list, named by its index; the output is the list of the branches'
   * outputs, null for those that did not end well.
   *
   * @param items its result must be a list
   */
  record Over(Expression items, int max, JoinPolicy join, StepFlow body) implements Parallel {
    @Override
    public Map<String, StepFlow> lists() {
      return Map.of(EACH, body);
    }
  }

  /**
   * Named branches; the output maps each name to the branch's output, null for those that did not
   * end well.
   */
  record Branches(Map<String, StepFlow> branches, int max, JoinPolicy join) implements Parallel {
    public Branches {
      branches = new LinkedHashMap<>(branches);
    }

    @Override
    public Map<String, StepFlow> lists() {
      return branches;
    }
  }

  /**
   * Waits for a person. The output is the answer.
   *
   * @param schema of an answer
   * @param timeout after which {@code defaultAnswer} is the answer; where there is none, the step
   *     fails
   */
  record Approval(
      Template prompt,
      InputSchema schema,
      Optional<Duration> timeout,
      Optional<JsonNode> defaultAnswer)
      implements StepKind {
    @Override
    public String word() {
      return "approval";
    }
  }

  /** Waits. The output is JSON null. */
  record Wait(WaitTime time) implements StepKind {
    @Override
    public String word() {
      return "wait";
    }
  }

  /** Calls a bean of a custom runner. */
  record Fn(String bean, TemplateTree args) implements StepKind {
    @Override
    public String word() {
      return "fn";
    }
  }

  /** An agent. Recognised so that its error is a good one. */
  record Agent(JsonNode settings) implements StepKind {
    @Override
    public String word() {
      return "agent";
    }
  }
}
