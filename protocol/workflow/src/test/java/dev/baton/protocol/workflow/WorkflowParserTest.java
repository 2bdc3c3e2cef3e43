/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.protocol.expression.Expression;
import dev.baton.protocol.expression.Template;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WorkflowParserTest {
  private static final String FULL =
      """
      name: full
      description: everything
      input: {type: object, required: [n], additionalProperties: false, properties: {n: {type: integer}}}
      deadline: 1h30m
      restart: never
      heartbeat: {interval: 200ms}
      park_after: PT10M
      concurrency: 3
      workspace: {exclude: [build/, '*.tmp']}
      defaults: {retry: 2, timeout: 1m, env: {A: 1, B: two}}
      steps:
        - id: sh
          title: A script
          shell: |
            echo "$N"
          env: {N: "${{ .input.n }}", B: other}
          output: {file: out/result.json}
          interpreter: bash -eu -c
          ok_exit_codes: [0, 3]
          retry: {max: 3, backoff: 2s, factor: 1.5}
          timeout: 5m
          when: .input.n > 1
          next: [{when: .steps.sh.output, to: call}, {to: end}]
        - id: call
          http:
            method: POST
            url: https://example.org/${{ .run.id }}
            headers: {X-N: 5}
            body: {n: "${{ .input.n }}", fixed: [true, null]}
            expect: 201
        - id: fan
          parallel:
            over: "[range(.input.n)]"
            max: 2
            steps:
              - id: inner
                parallel:
                  branches:
                    left: [{id: l, transform: .run.branch.index}]
                    right: [{id: r, wait: {for: "${{ .input.n }}s"}}]
        - id: ask
          approval: {prompt: "ok ${{ .input.n }}?", timeout: 1d, default: {approved: false}}
        - id: until
          wait: {until: 2026-05-01T12:00:00Z}
        - {id: fn, fn: {bean: my.bean, args: [1, "${{ .input.n }}"]}, workspace: write}
        - {id: last, wait: 0s, next: ask, max_visits: 3}
      """;

  static WorkflowParseResult.Valid valid(String yaml) {
    WorkflowParseResult parsed = WorkflowParser.parse(yaml, DefinitionFormat.YAML);
    assertThat(parsed).isInstanceOf(WorkflowParseResult.Valid.class);
    return (WorkflowParseResult.Valid) parsed;
  }

  private static <T> T kind(Workflow workflow, String id, Class<T> type) {
    return type.cast(
        workflow.allSteps().stream()
            .filter(s -> s.id().equals(id))
            .findFirst()
            .orElseThrow()
            .kind());
  }

  @Test
  void shouldReadTheHead() {
    Workflow workflow = valid(FULL).workflow();

    assertThat(workflow.name()).isEqualTo("full");
    assertThat(workflow.deadline()).contains(Duration.ofMinutes(90));
    assertThat(workflow.restart()).isEqualTo(RestartPolicy.NEVER);
    assertThat(workflow.isolation()).isEqualTo(IsolationMode.ISOLATED);
    assertThat(workflow.heartbeat())
        .contains(new HeartbeatSettings(Duration.ofMillis(200), Duration.ofMillis(600)));
    assertThat(workflow.parkAfter()).contains(Duration.ofMinutes(10));
    assertThat(workflow.concurrency()).hasValue(3);
    assertThat(workflow.exclude()).contains(List.of("build/", "*.tmp"));
    assertThat(workflow.allSteps())
        .extracting(Step::id)
        .containsExactly("sh", "call", "fan", "inner", "l", "r", "ask", "until", "fn", "last");
  }

  @Test
  void shouldReadShellSteps() {
    Workflow workflow = valid(FULL).workflow();
    Step step = workflow.flow().first();

    assertThat(step.kind())
        .isEqualTo(
            new StepKind.Shell(
                "echo \"$N\"\n",
                Map.of(
                    "A", Template.compile("1"),
                    "B", Template.compile("other"),
                    "N", Template.compile("${{ .input.n }}")),
                List.of("bash", "-eu", "-c"),
                new ShellOutput.File("out/result.json", ShellOutput.As.JSON),
                Set.of(0, 3)));
    assertThat(step.retry())
        .isEqualTo(new StepRetryPolicy(3, Duration.ofSeconds(2), 1.5, Duration.ofSeconds(30)));
    assertThat(step.timeout()).contains(Duration.ofMinutes(5));
    assertThat(step.workspace()).isEqualTo(WorkspaceUse.WRITE);
    assertThat(step.when()).contains(Expression.compile(".input.n > 1"));
    assertThat(step.next())
        .containsExactly(
            new StepTransition(
                StepTransition.On.SUCCESS,
                Optional.of(Expression.compile(".steps.sh.output")),
                "call"),
            new StepTransition(StepTransition.On.SUCCESS, Optional.empty(), StepTransition.END));
  }

  @Test
  void shouldReadTheOtherKinds() {
    Workflow workflow = valid(FULL).workflow();

    StepKind.Http http = kind(workflow, "call", StepKind.Http.class);
    assertThat(http.method()).isEqualTo("POST");
    assertThat(http.headers()).containsEntry("X-N", Template.compile("5"));
    assertThat(http.timeout()).isEqualTo(StepKind.Http.DEFAULT_TIMEOUT);
    assertThat(http.expects(201)).isTrue();
    assertThat(http.expects(200)).isFalse();
    assertThat(kind(workflow, "fan", StepKind.Over.class).max()).isEqualTo(2);
    assertThat(kind(workflow, "inner", StepKind.Branches.class).branches())
        .containsOnlyKeys("left", "right");
    StepKind.Approval ask = kind(workflow, "ask", StepKind.Approval.class);
    assertThat(ask.schema().validate(TextNode.valueOf("yes"))).hasSize(1);
    assertThat(ask.defaultAnswer()).isPresent();
    assertThat(kind(workflow, "fn", StepKind.Fn.class).bean()).isEqualTo("my.bean");
    assertThat(workflow.flow().find("call").orElseThrow().retry().max()).isEqualTo(2);
    assertThat(workflow.flow().find("call").orElseThrow().workspace()).isEqualTo(WorkspaceUse.NONE);
    assertThat(workflow.flow().find("ask").orElseThrow().retry()).isEqualTo(StepRetryPolicy.NONE);
  }

  @Test
  void shouldRoundTripItsCanonicalForm() throws IOException {
    WorkflowParseResult.Valid first = valid(FULL);
    String json = new String(WorkflowParser.bytes(first.canonical()), StandardCharsets.UTF_8);

    WorkflowParseResult.Valid again =
        (WorkflowParseResult.Valid) WorkflowParser.parse(json, DefinitionFormat.JSON);

    assertThat(again.hash()).isEqualTo(first.hash()).matches("sha256:[0-9a-f]{64}");
    assertThat(again.workflow()).isEqualTo(first.workflow());
    assertThat(Workflow.fromCanonical(new ObjectMapper().readTree(json)))
        .isEqualTo(first.workflow());
  }

  @Test
  void shouldHashMeaningNotLooks() {
    String one = "name: a\nsteps: [{id: x, transform: '1'}]\n";
    String other = "# a comment\nsteps:\n- transform: \"1\"\n  id: x\n\"name\": a\n";
    String json =
        "{\"$schema\": \"x\", \"name\": \"a\", \"steps\": [{\"id\": \"x\", \"transform\": \"1\"}]}";

    assertThat(valid(other).hash()).isEqualTo(valid(one).hash());
    assertThat(
            ((WorkflowParseResult.Valid) WorkflowParser.parse(json, DefinitionFormat.JSON)).hash())
        .isEqualTo(valid(one).hash());
    assertThat(valid(one.replace("'1'", "'2'")).hash()).isNotEqualTo(valid(one).hash());
  }

  @Test
  void shouldKeepHashesForever() {
    assertThat(valid("name: a\nsteps: [{id: x, transform: '1'}]\n").hash())
        .isEqualTo("sha256:" + PINNED);
  }

  /** {@code printf '{"name":"a","steps":[{"id":"x","transform":"1"}]}' | sha256sum}. */
  private static final String PINNED =
      "6e58e25ad72b81da9b4b326aa0a6387f2d0fd902ac12a6c824c766a038663964";

  @Test
  void shouldReadWhereAStepResumes() {
    Workflow workflow =
        valid(
                """
                name: w
                steps:
                  - {id: a, shell: make}
                  - {id: b, shell: make, resume: from_checkpoint}
                  - {id: c, fn: bean, workspace: write, resume: from_checkpoint}
                  - {id: d, shell: make, resume: from_start}
                """)
            .workflow();

    assertThat(workflow.flow().steps())
        .extracting(Step::resume)
        .containsExactly(
            StepResumeMode.FROM_START,
            StepResumeMode.FROM_CHECKPOINT,
            StepResumeMode.FROM_CHECKPOINT,
            StepResumeMode.FROM_START);
  }

  @Test
  void shouldReadMilestones() {
    Workflow workflow =
        valid(
                """
                name: w
                steps:
                  - {id: a, shell: make, milestone: {title: It builds}}
                  - id: b
                    fn: bean
                    milestone: {title: It works, tier: tier2, verify: ["npm test", "npm run lint"]}
                  - {id: c, shell: ls}
                """)
            .workflow();

    assertThat(workflow.flow().steps())
        .extracting(Step::milestone)
        .containsExactly(
            Optional.of(new MilestoneSettings("It builds", VerificationTier.TIER0, List.of())),
            Optional.of(
                new MilestoneSettings(
                    "It works", VerificationTier.TIER2, List.of("npm test", "npm run lint"))),
            Optional.empty());
    assertThat(workflow.flow().steps().get(1).workspace()).isEqualTo(WorkspaceUse.WRITE);
    assertThat(workflow.isolation()).isEqualTo(IsolationMode.ISOLATED);
  }

  @Test
  void shouldShareLightWorkflows() {
    assertThat(valid("name: a\nsteps: [{id: x, transform: '1'}]\n").workflow().isolation())
        .isEqualTo(IsolationMode.SHARED);
    assertThat(
            valid("name: a\nrunner: isolated\nsteps: [{id: x, transform: '1'}]\n")
                .workflow()
                .isolation())
        .isEqualTo(IsolationMode.ISOLATED);
  }

  @Test
  void shouldReadTheRunnersThatAWorkflowSelects() {
    Workflow workflow =
        valid(
                "name: a\nrunner: {launcher: process, pool: big, labels: {gpu: 'true'}}\nsteps: [{id: x, shell: ls}]\n")
            .workflow();

    assertThat(workflow.isolation()).isEqualTo(IsolationMode.ISOLATED);
    assertThat(workflow.selector())
        .isEqualTo(
            new RunnerSelector(Optional.of("process"), Optional.of("big"), Map.of("gpu", "true")));
    assertThat(workflow.selector().matches("process", "big", Map.of("gpu", "true", "a", "b")))
        .isTrue();
    assertThat(workflow.selector().matches("process", "big", Map.of("gpu", "false"))).isFalse();
    assertThat(workflow.selector().matches("process", null, Map.of("gpu", "true"))).isFalse();
    assertThat(
            valid("name: a\nrunner: {isolation: isolated}\nsteps: [{id: x, transform: '1'}]\n")
                .workflow())
        .matches(shown -> shown.isolation() == IsolationMode.ISOLATED)
        .matches(shown -> shown.selector().isAny());
  }

  @Test
  void shouldShareARunnerForShellsWithoutTheWorkspaceWhereTheWorkflowSaysSo() {
    String steps =
        "steps: [{id: p, parallel: {branches: {b: [{id: x, shell: ls, workspace: none}]}}}]\n";

    assertThat(valid("name: a\n" + steps).workflow())
        .matches(workflow -> workflow.isolation() == IsolationMode.ISOLATED)
        .matches(workflow -> !workflow.sharesPrograms());
    assertThat(valid("name: a\nrunner: {isolation: shared}\n" + steps).workflow())
        .matches(workflow -> workflow.isolation() == IsolationMode.SHARED)
        .matches(Workflow::sharesPrograms);
    assertThat(
            valid("name: a\nrunner: {isolation: shared}\nsteps: [{id: x, transform: '1'}]\n")
                .workflow())
        .matches(workflow -> !workflow.sharesPrograms());
  }

  @Test
  void shouldReadScalarsAsJsonDoes() {
    WorkflowParseResult.Valid parsed =
        valid(
            "name: a\ninput: {enum: [no, 010, 1e2, -3, 2026-01-01, ~, true, 0.50, 12345678901234567890]}\nsteps: [{id: x, transform: '1'}]\n");

    assertThat(parsed.canonical().path("input").path("enum"))
        .hasToString("[\"no\",\"010\",100.0,-3,\"2026-01-01\",null,true,0.5,12345678901234567890]");
  }

  @Test
  void shouldWarnOfStepsThatNothingLeadsTo() {
    List<DefinitionProblem> warnings =
        valid(
                "name: a\nsteps:\n- {id: x, transform: '1', next: z}\n- {id: y, transform: '1'}\n- {id: z, transform: '1'}\n")
            .warnings();

    assertThat(warnings)
        .extracting(DefinitionProblem::describe)
        .containsExactly("line 4, column 8 (step y, steps[1].id): nothing leads to this step");
  }

  @Test
  void shouldReadTenThousandStepsFast() {
    StringBuilder yaml = new StringBuilder("name: big\nsteps:\n");
    for (int i = 0; i < Workflow.MAX_STEPS; i++) {
      yaml.append("- {id: s")
          .append(i)
          .append(", transform: '")
          .append(i == 0 ? "1" : ".steps.s" + (i - 1))
          .append("'}\n");
    }

    assertThat(valid(yaml.toString()).workflow().allSteps()).hasSize(Workflow.MAX_STEPS);
  }

  @Test
  void shouldRequireTheProviderOfAModelThatOpenCodeReachesByItself() {
    String step =
        "name: x\nsteps:\n- id: a\n  agent: {use: opencode, prompt: x, gateway: off, login: A%s}\n";

    assertThat(valid(step.formatted(", model: anthropic/claude-sonnet-4-5"))).isNotNull();
    assertThat(invalid(step.formatted(", model: gpt-5")))
        .singleElement()
        .asString()
        .contains("agent.model", "'gpt-5' names no provider", "PROVIDER/MODEL");
    assertThat(invalid(step.formatted("")))
        .singleElement()
        .asString()
        .contains("'model' is missing", "PROVIDER/MODEL");
  }

  private static List<String> invalid(String yaml) {
    WorkflowParseResult result =
        WorkflowParser.parse(yaml.getBytes(StandardCharsets.UTF_8), DefinitionFormat.YAML);
    assertThat(result).isInstanceOf(WorkflowParseResult.Invalid.class);
    return ((WorkflowParseResult.Invalid) result)
        .problems().stream().map(problem -> problem.describe()).toList();
  }
}
