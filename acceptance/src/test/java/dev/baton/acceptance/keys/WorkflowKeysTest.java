/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.keys;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.workflow.DefinitionFormat;
import dev.baton.protocol.workflow.Step;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.protocol.workflow.Workflow;
import dev.baton.protocol.workflow.WorkflowParseResult;
import dev.baton.protocol.workflow.WorkflowParser;
import dev.baton.protocol.workflow.WorkflowSchema;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Checks that each key of the workflow schema changes the parsed workflow, and that code which acts
 * on it uses the changed value. A new key needs one line in {@link WorkflowKeyEffects#ALL}.
 */
class WorkflowKeysTest {
  private static final String PACKAGE = "dev.baton.protocol.workflow.";

  /** Code that reads, validates, compares or shows definitions; it does not act on them. */
  private static final Pattern ONLY_LOOKS =
      Pattern.compile(
          "dev\\.baton\\.protocol\\.workflow\\."
              + "(\\w*Decoder|\\w*Checker|StepDefaults|StepChange|Workflow|Step|StepFlow|Dot\\w*)"
              + "|dev\\.baton\\.cli\\.workflow\\.WorkflowExplainer(\\$.*)?");

  @SuppressWarnings("NullAway.Init")
  private static CompiledClasses project;

  @BeforeAll
  static void read() throws IOException {
    project =
        CompiledClasses.of(
            "protocol/common",
            "protocol/trace",
            "protocol/workflow",
            "protocol/state",
            "orchestrator",
            "runner",
            "checkpoint-store",
            "cli");
  }

  /** Returns the keys of the schema, prefixed by the definition that contains them. */
  private static Set<String> keys() {
    Set<String> keys = new TreeSet<>();
    collect(WorkflowSchema.json(), "workflow", keys);
    keys.remove("workflow.$schema"); // For editors; not a part of a definition.
    assertThat(keys).hasSizeGreaterThan(60);
    return keys;
  }

  private static void collect(JsonNode node, String path, Set<String> keys) {
    for (Map.Entry<String, JsonNode> member : node.properties()) {
      if (member.getKey().equals("$defs")) {
        member.getValue().properties().forEach(it -> collect(it.getValue(), it.getKey(), keys));
      } else if (member.getKey().equals("properties") && member.getValue().isObject()) {
        for (Map.Entry<String, JsonNode> key : member.getValue().properties()) {
          keys.add(path + "." + key.getKey());
          collect(key.getValue(), path + "." + key.getKey(), keys);
        }
      } else {
        collect(member.getValue(), path, keys);
      }
    }
    if (node.isArray()) {
      node.forEach(item -> collect(item, path, keys));
    }
  }

  @Test
  void shouldNameAnEffectForEveryKey() {
    assertThat(WorkflowKeyEffects.ALL.keySet()).isEqualTo(keys());
  }

  private static Workflow parse(String text) {
    String whole = text.startsWith("name:") ? text : "name: w\n" + text;
    WorkflowParseResult parsed = WorkflowParser.parse(whole, DefinitionFormat.YAML);
    assertThat(parsed).describedAs(whole).isInstanceOf(WorkflowParseResult.Valid.class);
    return ((WorkflowParseResult.Valid) parsed).workflow();
  }

  /**
   * Returns the values of a member in a workflow; for a method with an attempt number, the values
   * for the first attempts.
   */
  private static List<Object> observe(Workflow workflow, String member) throws Exception {
    List<Object> seen = new ArrayList<>();
    Class<?> type = Class.forName(PACKAGE + member.substring(0, member.lastIndexOf('.')));
    String name = member.substring(member.lastIndexOf('.') + 1);
    for (Object object : objects(workflow)) {
      for (Method method : type.getMethods()) {
        if (!type.isInstance(object) || !method.getName().equals(name)) {
          continue;
        } else if (method.getParameterCount() == 0) {
          seen.add(String.valueOf(describe(method.invoke(object))));
        } else if (method.getParameterTypes()[0] == int.class) {
          for (int argument : List.of(1, 2, 3, 9, 200)) {
            seen.add(method.invoke(object, argument));
          }
        }
      }
    }
    return seen;
  }

  /** Step lists have no string representation. */
  private static Object describe(Object value) {
    return switch (value) {
      case dev.baton.protocol.workflow.StepFlow flow ->
          flow.steps().stream().map(WorkflowKeysTest::describe).toList();
      case Step step -> step.id() + describe(step.kind());
      case StepKind.Over over -> describe(over.body());
      case Map<?, ?> map ->
          new TreeMap<>(map).values().stream().map(WorkflowKeysTest::describe).toList();
      default -> value;
    };
  }

  /** Returns the workflow, its steps, and their parts that can have a member. */
  private static List<Object> objects(Workflow workflow) throws Exception {
    List<Object> objects = new ArrayList<>(List.of(workflow));
    objects.add(workflow.selector());
    objects.addAll(workflow.secrets().values());
    workflow.heartbeat().ifPresent(objects::add);
    for (Step step : workflow.allSteps()) {
      objects.addAll(List.of(step, step.kind(), step.retry()));
      objects.addAll(step.next());
      step.gate().ifPresent(objects::add);
      step.milestone().ifPresent(objects::add);
      step.sandbox().ifPresent(objects::add);
      switch (step.kind()) {
        case StepKind.Shell shell -> objects.add(shell.output());
        case StepKind.Agent agent -> {
          objects.add(agent.budget());
          objects.add(agent.ask());
          objects.add(agent.interrupted());
          objects.addAll(agent.background());
          objects.add(agent.context());
          objects.addAll(agent.mcp().values());
        }
        case StepKind.Wait wait -> objects.add(wait.time());
        default -> {}
      }
    }
    return objects;
  }

  @Test
  void shouldChangeThePlanWithEveryKey() throws Exception {
    for (Map.Entry<String, WorkflowKeyEffects.Effect> effect : WorkflowKeyEffects.ALL.entrySet()) {
      String member = effect.getValue().member();
      List<Object> one = observe(parse(effect.getValue().one()), member);
      List<Object> other = observe(parse(effect.getValue().other()), member);

      assertThat(one).describedAs(effect.getKey() + " in " + member).isNotEqualTo(other);
    }
  }

  @Test
  void shouldActOnWhatEveryKeyChanges() {
    List<String> idle = new ArrayList<>();
    WorkflowKeyEffects.ALL.forEach(
        (key, effect) -> {
          Set<String> users = project.usersOf(PACKAGE + effect.member());
          boolean used =
              effect.shown()
                  ? users.stream().anyMatch(user -> user.startsWith("dev.baton.cli."))
                  : users.stream().anyMatch(user -> !ONLY_LOOKS.matcher(user).matches());
          if (!used) {
            idle.add(key + ": nothing acts on " + effect.member() + ", used by " + users);
          }
        });

    assertThat(idle).isEmpty();
  }
}
