/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks that parts of a graph without a meaning in a workflow are reported, and none are lost. */
class DotMeaninglessTest {
  private static List<String> said(String dot) {
    return switch (WorkflowParser.parse(dot, DefinitionFormat.DOT)) {
      case WorkflowParseResult.Invalid invalid ->
          invalid.problems().stream().map(it -> "error, " + it.describe()).toList();
      case WorkflowParseResult.Valid valid ->
          valid.warnings().stream().map(it -> "warning, " + it.describe()).toList();
    };
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "a [transform=1, colour=red]|warning, line 1, column 28 (step a): the attribute 'colour' of a node has no effect; did you mean 'color'?",
        "a [transform=1, owner=me]|warning, line 1, column 28 (step a): the attribute 'owner' of a node has no effect",
        "a [transform=1, rankdir=LR]|warning, line 1, column 28 (step a): the attribute 'rankdir' of a node has no effect",
        "a [transform=1, Retry=2]|error, line 1, column 28 (step a): unknown attribute 'Retry'; did you mean 'retry'?",
        "max_reroute=3; a [transform=1]|error, line 1, column 12: unknown attribute 'max_reroute'; did you mean 'max_reroutes'?",
        "a:p -> b; a [transform=1]; b [transform=1]|warning, line 1, column 14: the port 'p' of 'a' has no effect",
        "subgraph cluster_x { a [transform=1] }|warning, line 1, column 12: the cluster 'cluster_x' has no effect",
        "subgraph x { graph [deadline=\"1h\"]; a [transform=1] }|error, line 1, column 32: this applies to the subgraph 'x': 'deadline' would have no effect",
        "{ a } [transform=1]|error, line 1, column 19: this applies to a set of nodes, but not to its nodes: 'transform' would have no effect",
        "a [transform=1, label=<b>]|warning, line 1, column 34 (step a): the HTML string of 'label' has no effect",
        "a [shell=<make>]|error, line 1, column 21 (step a): the value of 'shell' is an HTML string",
        "s [shape=Mdiamond, shell=x]; s -> a; a [transform=1]|error, line 1, column 31 (step s): the node marks the start: 'shell' would have no effect",
        "a [transform=1]; a -> e; e [shape=Msquare, shell=x]|error, line 1, column 55 (step e): the node marks the end: 'shell' would have no effect",
        "a [transform=1]; b [transform=1]; e [shape=Msquare]; a -> e -> b|error, line 1, column 75 (step e): an edge leads on from the end to 'b'",
        "s [shape=Mdiamond]; s -> a; a [transform=1, max_visits=2]; a -> s|error, line 1, column 76 (step a): an edge leads back to the start, 's'",
        "s [shape=Mdiamond]; s -> a [when=\".input.x\"]; a [transform=1]|error, line 1, column 40 (step s): the edge leads from the start: 'when' would have no effect",
        "f [shape=component]; f -> a [when=\"false\"]; f -> b; a [transform=1]; b [transform=1]|error, line 1, column 41 (step f): the edge begins a branch: 'when' would have no effect",
        "f [shape=component, shell=x]; f -> a; a [transform=1]|error, line 1, column 32 (step f): the node begins a parallel: 'shell' would have no effect",
        "f [shape=component]; f -> a; f -> a; a [transform=1]|error, line 1, column 46 (step f): two edges lead to 'a'",
        "f [shape=component]; a [transform=1]; m [shape=tripleoctagon]; f -> {a m}; a -> m|error, line 1, column 80 (step f): nothing is between 'f' and 'm'",
        "a [shell=x, http=\"http://x\"]|error, line 1, column 24 (step a): the node does several things: shell, http",
        "a [shell=x, tool_command=y]|error, line 1, column 24 (step a): the node does several things: shell, tool_command",
        "a [shape=hexagon, shell=x]|error, line 1, column 30 (step a): the node has the shape of an approval: 'shell' would have no effect",
        "a [shell=x, max=3]|error, line 1, column 24 (step a): the node is not a parallel: 'max' would have no effect",
        "a [shell=x, prompt=y]|error, line 1, column 24 (step a): the node is not an approval: 'prompt' would have no effect",
        "a [shell=x, retry=1, max_retries=2]|error, line 1, column 33 (step a): the node has 'retry': 'max_retries' would have no effect",
        "a [shell=x, retry_target=a]|error, line 1, column 24 (step a): the node is not a gate: 'retry_target' would have no effect",
        "a [shell=x, goal_gate=yes]|error, line 1, column 34 (step a): 'yes' is not known for goal_gate",
        "a [shell=x, type=codergen]|error, line 1, column 29 (step a): unknown handler 'codergen'",
        "a -> {b c}; a [shell=x]; b [shell=x]; c [shell=x]|error, line 1, column 17 (step a): the edge to 'c' is never taken: the one to 'b' is, always",
        "a -> b; a -> b; a [shell=x]; b [shell=x]|error, line 1, column 25 (step a): the edge to 'b' is never taken",
        "a -> b [on=failure, condition=\"outcome=success\"]; a [shell=x]; b [shell=x]|error, line 1, column 32 (step a): the edge has 'on': 'condition' would have no effect",
        "a [approval=x]; a -> b [label=y]; a -> c [label=y]; b [shell=x]; c [shell=x]|error, line 1, column 60 (step a): 'y' does not lead to 'c' only",
        "a [shell=x, shape=Mdiamond, color=red]; a -> b; b [shell=y]; c [shell=z]|error, line 1, column 15 (step a): the node marks the start",
        "s [shape=Mdiamond]; s -> b; b [shell=y]; c [shell=z]|warning, line 1, column 53 (step c): nothing leads to this node: it is left out"
      })
  void shouldNameWhatHasNoEffect(String body, String problem) {
    assertThat(said("digraph g {" + body + "}")).anyMatch(it -> it.startsWith(problem));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "rankdir=LR; node [fontname=Helvetica, shape=box]; edge [color=red]; a [transform=1, tooltip=x]",
        "graph [bgcolor=white; label=x]; a [transform=1]; a -> b [style=dashed, arrowhead=none, minlen=2]; b [transform=1]",
        "{ rank=same; a [transform=1]; b [transform=1] } a -> b",
        "node [shell=x, retry=2, output=json]; s [shape=Mdiamond]; s -> a -> b; b [shape=hexagon, label=\"Go?\"]",
        "node [shell=x]; f [shape=component]; f -> {a b} -> m; m [shape=tripleoctagon]"
      })
  void shouldBeQuietAboutDrawing(String body) {
    assertThat(said("digraph g {" + body + "}")).isEmpty();
  }

  @Test
  void shouldLeadFromAForkToEachNodeOfASet() {
    String dot =
        """
        strict digraph Sets {
          start [shape=Mdiamond]; exit [shape=Msquare]
          fan [shape=component]; meet [shape=tripleoctagon];
          subgraph work { node [shell="make " + "all", retry=1]; left; right }
          start -> fan -> subgraph work {} -> meet -> exit; fan -> left
        };
        """
            .replace("};\n", "}\n")
            .replace("\n", "\r\n");

    Workflow workflow =
        ((WorkflowParseResult.Valid) WorkflowParser.parse("\uFEFF" + dot, DefinitionFormat.DOT))
            .workflow();

    StepKind.Branches fan = (StepKind.Branches) workflow.flow().find("fan").orElseThrow().kind();
    assertThat(fan.branches()).containsOnlyKeys("left", "right");
    assertThat(workflow.allSteps())
        .filteredOn(step -> step.kind() instanceof StepKind.Shell)
        .allMatch(step -> ((StepKind.Shell) step.kind()).script().equals("make all"))
        .hasSize(2);
  }

  @Test
  void shouldWalkToANodeThatOnlyAGateLeadsTo() {
    WorkflowParseResult parsed =
        WorkflowParser.parse(
            """
            digraph repair {
              retry_target = fix
              start [shape=Mdiamond]; start -> test
              test [shell=check, goal_gate=true, max_visits=9]; fix [shell=repair]; fix -> test
            }
            """,
            DefinitionFormat.DOT);

    assertThat(parsed).isInstanceOf(WorkflowParseResult.Valid.class);
    assertThat(((WorkflowParseResult.Valid) parsed).workflow().flow().steps())
        .extracting(Step::id)
        .containsExactly("test", "fix");
  }

  @Test
  void shouldPointIntoAQuotedExpression() {
    assertThat(said("digraph g {\n  a [transform=\".x | nope(1)\"]\n}"))
        .singleElement()
        .asString()
        .startsWith("error, line 2, column ");
  }
}
