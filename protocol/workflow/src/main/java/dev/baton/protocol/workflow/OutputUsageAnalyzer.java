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
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the steps whose outputs an expression of the workflow may read. May report a step that is
 * not read: every occurrence of a step's name in an expression counts, and an expression that
 * accesses steps by a computed name, or its whole scope, counts as reading all. Immutable.
 */
public final class OutputUsageAnalyzer {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_-]*");

  /** {@code .steps} not followed by a literal name. */
  private static final Pattern COMPUTED =
      Pattern.compile("\\bsteps\\b(?!\\s*\\.\\s*[A-Za-z_])(?!\\s*\\.?\\s*\\[?\\s*\"[^\"\\\\]*\")");

  /** Expressions that start with the whole scope, or traverse a whole value. */
  private static final Pattern WHOLE =
      Pattern.compile(
          "^\\s*\\.\\s*(?:$|[|,;)]|as\\b)|\\.\\.|\\b(?:getpath|paths|tostream|walk)\\b");

  private final Set<String> named = new HashSet<>();
  private boolean all;

  private OutputUsageAnalyzer() {}

  /** Analyzes the expressions of a workflow. */
  public static OutputUsageAnalyzer of(Workflow workflow) {
    OutputUsageAnalyzer use = new OutputUsageAnalyzer();
    workflow.allSteps().forEach(use::add);
    // The output of a parallel step consists of the outputs of its steps.
    workflow.flow().steps().forEach(use::addWithin);
    return use;
  }

  /** Whether the output of the step with this id may be read. */
  public boolean reads(String id) {
    return all || named.contains(id);
  }

  private void addWithin(Step step) {
    step.kind()
        .lists()
        .values()
        .forEach(
            flow ->
                flow.steps()
                    .forEach(
                        inner -> {
                          if (named.contains(step.id())) {
                            named.add(inner.id());
                          }
                          addWithin(inner);
                        }));
  }

  private void add(Step step) {
    step.when().ifPresent(this::add);
    step.next().forEach(arm -> arm.when().ifPresent(this::add));
    step.gate().flatMap(StepGate::when).ifPresent(this::add);
    switch (step.kind()) {
      case StepKind.Shell shell -> shell.env().values().forEach(this::add);
      case StepKind.Http http -> {
        add(http.url());
        http.headers().values().forEach(this::add);
        http.body().ifPresent(this::add);
      }
      case StepKind.Transform transform -> add(transform.expression());
      case StepKind.Over over -> add(over.items());
      case StepKind.Branches branches -> {}
      case StepKind.Approval approval -> add(approval.prompt());
      case StepKind.Wait(WaitTime.For(Template duration)) -> add(duration);
      case StepKind.Wait(WaitTime.Until(Template instant)) -> add(instant);
      case StepKind.Fn fn -> add(fn.args());
      case StepKind.Agent agent -> {
        add(agent.prompt());
        agent.system().ifPresent(this::add);
        agent.images().forEach(this::add);
      }
    }
  }

  private void add(TemplateTree tree) {
    switch (tree) {
      case TemplateTree.Text(Template template) -> add(template);
      case TemplateTree.Value(JsonNode value) -> {}
      case TemplateTree.Items(var items) -> items.forEach(this::add);
      case TemplateTree.Members(var members) -> members.values().forEach(this::add);
    }
  }

  private void add(Template template) {
    if (!template.isFixed()) {
      for (String piece : template.text().split(Pattern.quote(Template.OPEN), -1)) {
        text(piece);
      }
    }
  }

  private void add(Expression expression) {
    text(expression.text());
  }

  private void text(String jq) {
    all |= COMPUTED.matcher(jq).find() || WHOLE.matcher(jq).find();
    Matcher names = NAME.matcher(jq);
    while (names.find()) {
      named.add(names.group());
    }
  }
}
