/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DotTest {
  private static WorkflowParseResult.Valid valid(String dot) {
    WorkflowParseResult parsed = WorkflowParser.parse(dot, DefinitionFormat.DOT);
    assertThat(parsed).isInstanceOf(WorkflowParseResult.Valid.class);
    return (WorkflowParseResult.Valid) parsed;
  }

  private static List<String> problems(String dot) {
    WorkflowParseResult parsed = WorkflowParser.parse(dot, DefinitionFormat.DOT);
    assertThat(parsed).isInstanceOf(WorkflowParseResult.Invalid.class);
    return ((WorkflowParseResult.Invalid) parsed)
        .problems().stream().map(DefinitionProblem::describe).toList();
  }

  @Test
  void shouldBeTheSameDefinitionAsItsYaml() {
    String dot =
        """
        digraph Build {
          graph [max_reroutes = 3, deadline="1h"] // of the run
          build [shell="make
        test", retry="{\\"max\\": 2}", timeout="5m", label="Build it"];
          build -> ship [when=".steps.build.output == \\"ok\\"", color=green];
          build -> report [condition="outcome=failure"]; build -> end;
          ship [output="{\\"file\\": \\"out.json\\"}", shell="./ship \\"$V\\"", env="{\\"V\\": \\"${{ .input.v }}\\"}", gate=build]
          report [transform=".steps.build.error.code"] # no other
        }
        """;
    String yaml =
        """
        name: build
        max_reroutes: 3
        deadline: 1h
        steps:
          - id: build
            title: Build it
            shell: "make\\ntest"
            retry: {max: 2}
            timeout: 5m
            next:
              - {when: '.steps.build.output == "ok"', to: ship, on: any}
              - {on: failure, to: report}
              - {on: any, to: end}
          - {id: ship, output: {file: out.json}, shell: './ship "$V"', env: {V: "${{ .input.v }}"}, gate: build, next: [{to: end}]}
          - {id: report, transform: .steps.build.error.code, next: [{to: end}]}
        """;

    WorkflowParseResult.Valid same =
        (WorkflowParseResult.Valid) WorkflowParser.parse(yaml, DefinitionFormat.YAML);

    assertThat(valid(dot).canonical()).isEqualTo(same.canonical());
    assertThat(valid(dot).hash()).isEqualTo(same.hash());
  }

  @Test
  void shouldReadServersOfTheGraph() {
    String dot =
        """
        digraph g {
          graph [mcp="{\\"memory\\": {\\"command\\": [\\"x\\", \\"{state}/m\\"], \\"state\\": \\"m\\"}}"]
          a [agent="{\\"use\\": \\"loop\\", \\"prompt\\": \\"x\\", \\"mcp\\": [\\"memory\\"]}"]
        }
        """;
    String yaml =
        """
        name: g
        mcp: {memory: {command: [x, '{state}/m'], state: m}}
        steps: [{id: a, agent: {use: loop, prompt: x, mcp: [memory]}, next: [{to: end}]}]
        """;

    WorkflowParseResult.Valid same =
        (WorkflowParseResult.Valid) WorkflowParser.parse(yaml, DefinitionFormat.YAML);

    assertThat(valid(dot).workflow()).isEqualTo(same.workflow());
  }

  @Test
  void shouldFindBranchesAndWhereTheyMeet() {
    Workflow workflow =
        valid(
                """
                digraph fan {
                  a [transform=1]; b [transform=2]; c [transform=3]; d [transform=4]; e [transform=5]
                  a -> f; f [shape=component, join=2, max=3]
                  f -> b -> in; in [shape=component]; in -> c -> im; in -> x -> im; x [transform=6]
                  im [shape=tripleoctagon]; im -> m
                  f -> d -> m; f -> e -> m
                  m [shape=tripleoctagon]; m -> z; z [transform=7]
                }
                """)
            .workflow();

    StepKind.Branches fan = (StepKind.Branches) workflow.flow().find("f").orElseThrow().kind();
    assertThat(fan.branches()).containsOnlyKeys("b", "d", "e");
    assertThat(fan.join()).isEqualTo(new JoinPolicy.First(2));
    assertThat(fan.max()).isEqualTo(3);
    StepFlow first = fan.branches().get("b");
    assertThat(first).isNotNull();
    assertThat(first.steps()).extracting(Step::id).containsExactly("b", "in", "im");
    assertThat(workflow.flow().steps()).extracting(Step::id).containsExactly("a", "f", "m", "z");
  }

  @Test
  void shouldAskForTheWayWhereEdgesOfAnApprovalHaveLabels() {
    Step ask =
        valid(
                """
                digraph choice {
                  ask [shape=hexagon, label="Which?"]; ask -> a [label="this"]; ask -> b [label="that"]
                  a [transform=1]; b [transform=2]
                }
                """)
            .workflow()
            .flow()
            .first();

    assertThat(ask.kind()).isInstanceOf(StepKind.Approval.class);
    assertThat(
            ((StepKind.Approval) ask.kind())
                .schema()
                .json()
                .at("/properties/choice/enum/1")
                .asText())
        .isEqualTo("that");
    assertThat(ask.next())
        .extracting(StepTransition::to)
        .containsExactly("a", "b", StepTransition.END);
  }

  @Test
  void shouldOrderArmsByConditionThenWeight() {
    List<StepTransition> next =
        valid(
                """
                digraph w { a [transform=1, max_visits=2]; b [transform=1]; c [transform=1]; d [transform=1]
                  a -> b [weight=1, when="true"]; a -> c [weight=5, when="true"]; a -> d [weight=9] }
                """)
            .workflow()
            .flow()
            .first()
            .next();

    assertThat(next).extracting(StepTransition::to).containsExactly("c", "b", "d");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "graph g { a -- b }|line 1, column 1: steps have an order, this graph has none; allowed: digraph",
        "digraph g { a -> ; }|line 1, column 18: not DOT: ';' cannot stand here; allowed: a node, a set {…} or a subgraph",
        "digraph g { a [transform=1] } digraph h { }|line 1, column 31: there is text after the graph; allowed: one digraph",
        "digraph { a [transform=1] }|line 1, column 1: the graph has no name; allowed: digraph NAME { … }",
        "digraph g { a [shape=box] }|line 1, column 13 (step a): the node does nothing; allowed: an attribute shell, http, transform, parallel, approval, wait, fn, agent",
        "digraph g { a [shel=x] }|line 1, column 16 (step a): unknown attribute 'shel'; did you mean 'shell'?; allowed: agent, approval, env, fn, gate, goal_gate, handler, http, interpreter, join, max, max_retries, max_visits, milestone, ok_exit_codes, output, parallel, prompt, resume, retry, retry_target, sandbox, shell, timeout, title, tool_command, transform, type, wait, when, workspace",
        "digraph g { A [transform=1] }|line 1, column 13 (steps[0].id): 'A' is not an id; allowed: [a-z][a-z0-9_-]{0,62}",
        "digraph g { a [transform=1]; a -> a }|line 1, column 13 (step a, steps[0].id): the cycle a → a has no bound; allowed: max_visits on one of its steps",
        "digraph g { a [transform=1]; b [transform=1]; a -> b [condition=\"x=1\"] }|line 1, column 65 (step a): the condition 'x=1' of the edge to 'b' is not known; allowed: outcome=success, outcome=failure, or when=\"jq\"",
        "digraph g { a [transform=1]; b [transform=1] }|it is not clear where the graph begins: 2 nodes have no edge to them; allowed: one node of shape Mdiamond with one edge from it, or one node without an edge to it",
        "digraph g { f [shape=component]; f -> a -> b; f -> b; a [transform=1]; b [transform=1] }|line 1, column 44 (step b): the node is in two branches of 'f'; allowed: branches that meet at a node of shape tripleoctagon only"
      })
  void shouldSayWhatIsWrong(String dot, String problem) {
    assertThat(problems(dot)).contains(problem);
  }

  @Test
  @Timeout(30)
  void shouldRefuseWhatIsNestedTooDeeply() {
    assertThat(problems("digraph g " + "{".repeat(100_000))).first().asString().contains("nested");
    assertThat(problems("digraph g { a [shell=<" + "<".repeat(100_000))).isNotEmpty();
  }

  @Test
  void shouldReadTheExample() throws IOException {
    Path example = Path.of("..", "..", "examples", "review-loop.dot");

    WorkflowParseResult.Valid valid = valid(Files.readString(example));

    assertThat(valid.warnings()).isEmpty();
    assertThat(valid.workflow().maxReroutes()).isEqualTo(5);
    assertThat(valid.workflow().allSteps()).extracting(Step::id).contains("tests", "size", "both");
  }
}
