/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static dev.baton.protocol.workflow.BadDefinitionsTest.meaning;
import static dev.baton.protocol.workflow.BadDefinitionsTest.schema;
import static dev.baton.protocol.workflow.BadDefinitionsTest.steps;

import java.util.stream.Stream;

/** Definitions with an invalid agent step. */
final class BadAgentDefinitions {
  private BadAgentDefinitions() {}

  static Stream<BadDefinitionsTest.Case> cases() {
    return Stream.of(
        schema(
            "agent without a task",
            steps("- id: b\n  agent: {use: claude}\n"),
            "line 5, column 10 (step b, steps[1].agent): 'prompt' is missing; allowed: prompt: the task"),
        schema(
            "unknown agent",
            steps("- id: b\n  agent: {use: clod, prompt: x}\n"),
            "line 5, column 16 (step b, steps[1].agent.use): 'clod' is not known; allowed: claude, codex, opencode, acp, command, loop"),
        schema(
            "an agent's command",
            steps("- id: b\n  agent: {use: command, prompt: x}\n"),
            "line 5, column 10 (step b, steps[1].agent): 'command' is missing; allowed: command: the program and its arguments, as a list"),
        schema(
            "a command of another agent",
            steps("- id: b\n  agent: {use: codex, prompt: x, command: y}\n"),
            "line 5, column 43 (step b, steps[1].agent.command): the agent 'codex' has no 'command'; allowed: with 'use: command' and 'use: acp' only"),
        schema(
            "an unknown rule for cuts",
            steps("- id: b\n  agent: {use: codex, prompt: x, cut: often}\n"),
            "line 5, column 39 (step b, steps[1].agent.cut): 'often' is not a rule for cuts; allowed: turn, plan, none, a period such as 10m, or {when: condition over .type and .data}"),
        schema(
            "cuts without a condition",
            steps("- id: b\n  agent: {use: codex, prompt: x, cut: {}}\n"),
            "line 5, column 39 (step b, steps[1].agent.cut): 'when' is missing; allowed: when: a condition over .type and .data"),
        meaning(
            "cuts in too short a period",
            steps("- id: b\n  agent: {use: codex, prompt: x, cut: 10ms}\n"),
            "line 5, column 39 (step b, steps[1].agent.cut): '10ms' is out of bounds; allowed: PT1S to PT87672H (ISO-8601)"),
        schema(
            "a budget of nothing",
            steps("- id: b\n  agent: {use: codex, prompt: x, budget: {cost: 0}}\n"),
            "line 5, column 49 (step b, steps[1].agent.budget.cost): 0 is not a cost in US dollars; allowed: a number above 0, such as 2.50"),
        schema(
            "half a turn",
            steps("- id: b\n  agent: {use: codex, prompt: x, budget: {turns: 0.5}}\n"),
            "line 5, column 50 (step b, steps[1].agent.budget.turns): 0.5 is not a budget; allowed: a whole number from 1 to 1000000000000000"),
        schema(
            "a login at the gateway",
            steps("- id: b\n  agent: {use: claude, prompt: x, login: A}\n"),
            "line 5, column 42 (step b, steps[1].agent.login): an agent that uses the gateway has no login of its own; allowed: gateway: off"),
        schema(
            "an agent that needs the gateway",
            steps("- id: b\n  agent: {use: loop, prompt: x, gateway: off, login: A}\n"),
            "line 5, column 42 (step b, steps[1].agent.gateway): the agent 'loop' cannot run without the gateway; allowed: 'off' with claude, codex, opencode only"),
        schema(
            "an approval without the gateway",
            steps(
                "- id: b\n  agent: {use: claude, prompt: x, gateway: off, login: A, tools: {timeout: 1h}}\n"),
            "line 5, column 76 (step b, steps[1].agent.tools.timeout): without the gateway a run cannot wait for a decision on a call, so that 'timeout' has no effect; allowed: with 'gateway: on'"),
        schema(
            "a screen without the gateway",
            steps(
                "- id: b\n  agent: {use: codex, prompt: x, gateway: off, login: A, interactive: true}\n"),
            "line 5, column 71 (step b, steps[1].agent.interactive): an agent on a screen is held at its boundaries by the gateway; allowed: with 'gateway: on'"),
        schema(
            "images for an agent that takes none",
            steps("- id: b\n  agent: {use: command, command: y, prompt: x, images: a.png}\n"),
            "line 5, column 56 (step b, steps[1].agent.images): the agent 'command' takes no images; allowed: with one of claude, codex, opencode, acp, loop"),
        schema(
            "a screen for an agent that has none here",
            steps("- id: b\n  agent: {use: loop, prompt: x, interactive: true}\n"),
            "line 5, column 46 (step b, steps[1].agent.interactive): the agent 'loop' cannot be interactive; allowed: with command, claude, codex, opencode only"),
        schema(
            "images for an agent that has a person",
            steps("- id: b\n  agent: {use: codex, prompt: x, interactive: true, images: a.png}\n"),
            "line 5, column 61 (step b, steps[1].agent.images): the agent 'codex' has no 'images' on a screen; allowed: without 'interactive' only"),
        schema(
            "rules for the tools of an agent that has a person",
            steps(
                "- id: b\n  agent: {use: claude, prompt: x, interactive: true, tools: {deny: [Bash]}}\n"),
            "line 5, column 61 (step b, steps[1].agent.tools): the agent 'claude' has no 'tools' on a screen; allowed: without 'interactive' only"),
        schema(
            "a flag that is a number",
            steps("- id: b\n  agent: {use: command, command: y, prompt: x, interactive: 1}\n"),
            "line 5, column 61 (step b, steps[1].agent.interactive): this must be true or false; allowed: true, false"),
        schema(
            "a context that the agent keeps by itself",
            steps("- id: b\n  agent: {use: codex, prompt: x, context: {window: 8000}}\n"),
            "line 5, column 43 (step b, steps[1].agent.context): the agent 'codex' shortens its conversations by itself; allowed: with loop only"),
        schema(
            "a window of no model",
            steps("- id: b\n  agent: {use: loop, prompt: x, context: {window: 100}}\n"),
            "line 5, column 51 (step b, steps[1].agent.context.window): 100 is not a number of tokens; allowed: a whole number from 8000 to 100000000"),
        schema(
            "a share of nothing",
            steps("- id: b\n  agent: {use: loop, prompt: x, context: {compact_at: 1}}\n"),
            "line 5, column 55 (step b, steps[1].agent.context.compact_at): 1 is not a share of the window; allowed: a number from 0.1 to 0.95, such as 0.8"),
        schema(
            "no images",
            steps("- id: b\n  agent: {use: codex, prompt: x, images: []}\n"),
            "line 5, column 42 (step b, steps[1].agent.images): this is not a list of images; allowed: paths of 1 to 20 files, or a single one"));
  }
}
