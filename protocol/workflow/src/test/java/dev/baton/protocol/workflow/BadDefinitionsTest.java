/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks the exact message for each invalid definition. */
class BadDefinitionsTest {
  /** Whether the published schema also detects it. */
  enum Seen {
    BY_SCHEMA,
    BY_PARSER_ONLY
  }

  record Case(String name, Seen seen, String yaml, List<String> problems) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Case schema(String name, String yaml, String... problems) {
    return new Case(name, Seen.BY_SCHEMA, yaml, List.of(problems));
  }

  static Case meaning(String name, String yaml, String... problems) {
    return new Case(name, Seen.BY_PARSER_ONLY, yaml, List.of(problems));
  }

  /** A valid step, followed by another. */
  static String steps(String more) {
    return "name: w\nsteps:\n- {id: a, transform: '1'}\n" + more;
  }

  /** An agent step that continues another one, with others before, inside and after. */
  private static String continuing(String use, String from) {
    return """
        name: w
        steps:
        - {id: shell, shell: 'true'}
        - {id: first, agent: {use: claude, prompt: x}}
        - id: both
          parallel: {branches: {a: [{id: inner, agent: {use: claude, prompt: x}}], b: [{id: other, shell: 'true'}]}}
        - {id: second, agent: {use: %s, prompt: x, continue_from: %s}}
        - {id: last, agent: {use: claude, prompt: x}}
        """
        .formatted(use, from);
  }

  private static final String AGENT = "steps:\n- id: a\n  agent: {use: loop, prompt: x}\n";

  static Stream<Case> cases() {
    return Stream.of(
            shapes(),
            BadAgentDefinitions.cases(),
            BadSecretDefinitions.cases(),
            BadSandboxDefinitions.cases(),
            values(),
            graphs(),
            references())
        .flatMap(cases -> cases);
  }

  static Stream<Case> shapes() {
    return Stream.of(
        schema(
            "a list",
            "- x\n",
            "line 1, column 1: this must be a mapping, not a list; allowed: a mapping with name and steps"),
        schema(
            "nothing in it",
            "{}\n",
            "line 1, column 1: 'name' is missing; allowed: name: a workflow's name",
            "line 1, column 1: 'steps' is missing; allowed: steps: a list of at least one step"),
        schema(
            "no steps",
            "name: w\nsteps: []\n",
            "line 2, column 8 (steps): this must be a list of steps, not an empty list; allowed: at least one step"),
        schema(
            "unknown key",
            "name: w\nstepz: []\nsteps: [{id: a, transform: '1'}]\n",
            "line 2, column 1 (stepz): unknown key 'stepz'; did you mean 'steps'?; allowed: name, description, input, runner, deadline, restart, heartbeat, park_after, max_reroutes, concurrency, workspace, mcp, secrets, defaults, steps"),
        schema(
            "exclude that is not a list",
            "name: w\nworkspace: {exclude: build}\nsteps: [{id: a, transform: '1'}]\n",
            "line 2, column 22 (workspace.exclude): this must be a list, not text; allowed: a list of at most 100 patterns"),
        schema(
            "bad name",
            "name: My Flow\nsteps: [{id: a, transform: '1'}]\n",
            "line 1, column 7 (name): 'My Flow' is not a name; allowed: [a-z][a-z0-9_-]{0,62}"),
        schema(
            "unknown kind",
            steps("- id: b\n  shel: ls\n"),
            "line 5, column 3 (step b, steps[1].shel): unknown step kind 'shel'; did you mean 'shell'?; allowed: shell, http, transform, parallel, approval, wait, fn, agent"),
        schema(
            "no kind",
            steps("- id: b\n"),
            "line 4, column 3 (step b, steps[1]): the step does nothing; allowed: one of shell, http, transform, parallel, approval, wait, fn, agent"),
        schema(
            "a milestone of nothing",
            steps("- {id: b, wait: 5s, milestone: {title: t}}\n"),
            "line 4, column 32 (step b, steps[1].milestone): wait steps have no 'milestone'; allowed: milestone on shell, fn, agent"),
        schema(
            "a resume without files",
            steps("- {id: b, shell: ls, workspace: none, resume: from_checkpoint}\n"),
            "line 4, column 47 (step b, steps[1].resume): a step without a workspace has no checkpoint to resume from; allowed: 'workspace: write', or 'resume: from_start'"),
        schema(
            "a resume of nothing, and of a misspelled word",
            steps("- {id: b, wait: 5s, resume: from_chekpoint}\n"),
            "line 4, column 29 (step b, steps[1].resume): 'from_chekpoint' is not known; did you mean 'from_checkpoint'?; allowed: from_start, from_checkpoint",
            "line 4, column 29 (step b, steps[1].resume): wait steps have no 'resume'; allowed: resume on shell, fn"),
        schema(
            "a milestone without files",
            steps("- {id: b, shell: ls, workspace: none, milestone: {title: t}}\n"),
            "line 4, column 3 (step b, steps[1]): a milestone commits the workspace; allowed: 'workspace: write', or no 'workspace'"),
        schema(
            "a milestone without a title",
            steps("- {id: b, shell: ls, milestone: {tier: tier9, verify: [' ']}}\n"),
            "line 4, column 33 (step b, steps[1].milestone): 'title' is missing; allowed: title: what is reached",
            "line 4, column 40 (step b, steps[1].milestone.tier): 'tier9' is not known; did you mean 'tier0'?; allowed: tier0, tier1, tier2",
            "line 4, column 56 (step b, steps[1].milestone.verify[0]): the command is empty; allowed: a command"),
        schema(
            "two kinds",
            steps("- {id: b, shell: ls, wait: 5s}\n"),
            "line 4, column 3 (step b, steps[1]): the step has several kinds: shell, wait; allowed: one of shell, http, transform, parallel, approval, wait, fn, agent"),
        schema(
            "no id",
            steps("- {transform: '1'}\n"),
            "line 4, column 3 (steps[1]): 'id' is missing; allowed: id: a name that no other step has"),
        schema(
            "bad id",
            steps("- {id: B, transform: '1'}\n"),
            "line 4, column 8 (steps[1].id): 'B' is not an id; allowed: [a-z][a-z0-9_-]{0,62}"),
        schema(
            "end as id",
            steps("- {id: end, transform: '1'}\n"),
            "line 4, column 8 (step end, steps[1].id): 'end' is the end of the steps; allowed: another id"),
        schema(
            "a server's name",
            "name: w\nmcp: {Tools: {command: x}}\n" + AGENT,
            "line 2, column 7 (mcp.Tools): 'Tools' is not a server's name; allowed: [a-z][a-z0-9_-]{0,31} without '__'"),
        schema(
            "a server that is nowhere",
            "name: w\nmcp: {a: {timeout: 5s}}\n" + AGENT,
            "line 2, column 10 (mcp.a): a server needs exactly one of 'command' and 'url'; allowed: command, or url"),
        schema(
            "a server without a program",
            "name: w\nmcp: {a: {command: []}}\n" + AGENT,
            "line 2, column 20 (mcp.a.command): this is not a list of texts; allowed: 1 to 100 texts, or a single one"),
        meaning(
            "a server with an empty program",
            "name: w\nmcp: {a: {command: ['']}}\n" + AGENT,
            "line 2, column 21 (mcp.a.command[0]): the command is empty; allowed: a program and its arguments"),
        schema(
            "a server at no URL",
            "name: w\nmcp: {a: {url: 'ftp://x/y'}}\n" + AGENT,
            "line 2, column 16 (mcp.a.url): 'ftp://x/y' is not a URL; allowed: http://… or https://…"),
        schema(
            "files of a remote server",
            "name: w\nmcp: {a: {url: 'http://x/y', state: [m]}}\n" + AGENT,
            "line 2, column 37 (mcp.a.state): 'state' has no effect here; allowed: with 'command' only"),
        meaning(
            "files outside of a server's folder",
            "name: w\nmcp: {a: {command: x, state: ['../m']}}\n" + AGENT,
            "line 2, column 31 (mcp.a.state[0]): '../m' is not a path below the server's folder; allowed: a relative path without '..', with * and **"),
        meaning(
            "an unknown server",
            "name: w\nmcp: {memory: {command: x}}\nsteps:\n- id: a\n  agent: {use: loop, prompt: x, mcp: [memori]}\n",
            "line 5, column 39 (step a, steps[0].agent.mcp[0]): 'memori' is not known; did you mean 'memory'?; allowed: memory"),
        schema(
            "an agent's version",
            steps("- id: b\n  agent: {use: codex, prompt: x, version: newest}\n"),
            "line 5, column 43 (step b, steps[1].agent.version): 'newest' is not a version; allowed: such as 2.1.332, or 2.1 for any release of it"),
        schema(
            "approvals of an agent that cannot ask",
            steps("- id: b\n  agent: {use: command, command: y, prompt: x, tools: {ask: z}}\n"),
            "line 5, column 61 (step b, steps[1].agent.tools.ask): the agent 'command' requests no permission for its tools, so that 'ask' has no effect; allowed: with claude, codex, opencode, acp, loop only"),
        schema(
            "interrupted calls of an agent that does not wait before a call",
            steps("- id: b\n  agent: {use: codex, prompt: x, interrupted: {tell: z}}\n"),
            "line 5, column 47 (step b, steps[1].agent.interrupted): the agent 'codex' cannot be kept from running a call again, so that 'interrupted' has no effect; allowed: with claude, opencode, loop only"),
        schema(
            "an unknown treatment of interrupted calls",
            steps("- id: b\n  agent: {use: loop, prompt: x, interrupted: {drop: z}}\n"),
            "line 5, column 47 (step b, steps[1].agent.interrupted.drop): unknown key 'drop'; allowed: rerun, ask, tell"),
        schema(
            "a rule for processes in the background without a list",
            steps("- id: b\n  agent: {use: loop, prompt: x, background: {match: z}}\n"),
            "line 5, column 45 (step b, steps[1].agent.background): this is not a list of rules; allowed: 1 to 20 rules, such as {match: \"npm run dev*\"}"),
        schema(
            "rules for processes in the background",
            steps(
                "- id: b\n  agent: {use: loop, prompt: x, background: [{restart: true}, {match: ' '}, {match: z, restart: maybe}, y, {match: z, when: no}]}\n"),
            "line 5, column 46 (step b, steps[1].agent.background[0]): 'match' is missing; allowed: match: a pattern of the command, such as npm run dev*",
            "line 5, column 71 (step b, steps[1].agent.background[1].match): an empty pattern matches no command; allowed: a pattern of the command, such as npm run dev*",
            "line 5, column 97 (step b, steps[1].agent.background[2].restart): \"maybe\" is neither true nor false; allowed: true, false",
            "line 5, column 105 (step b, steps[1].agent.background[3]): this must be a mapping, not text; allowed: match, restart",
            "line 5, column 119 (step b, steps[1].agent.background[4].when): unknown key 'when'; allowed: match, restart"),
        meaning(
            "an approval of a moment",
            steps("- id: b\n  agent: {use: loop, prompt: x, tools: {ask: z, timeout: 10ms}}\n"),
            "line 5, column 58 (step b, steps[1].agent.tools.timeout): '10ms' is out of bounds; allowed: PT1S to PT87672H (ISO-8601)"),
        schema(
            "an agent without files",
            steps("- id: b\n  workspace: none\n  agent: {use: codex, prompt: x}\n"),
            "line 5, column 14 (step b, steps[1].workspace): an agent works in the workspace; allowed: 'workspace: write', or no 'workspace'"),
        schema(
            "shell's key elsewhere",
            steps("- {id: b, wait: 5s, env: {A: 1}}\n"),
            "line 4, column 26 (step b, steps[1].env): wait steps have no 'env'; allowed: id, title, when, retry, timeout, workspace, next, gate, max_visits, milestone, resume, sandbox"),
        schema(
            "retry on a transform",
            steps("- {id: b, transform: '1', retry: 3}\n"),
            "line 4, column 34 (step b, steps[1].retry): transform steps have no 'retry'; allowed: retry on shell, http, fn, agent"),
        schema(
            "parallel without shape",
            steps("- {id: b, parallel: {max: 3}}\n"),
            "line 4, column 21 (step b, steps[1].parallel): a parallel needs one of two shapes; allowed: over and steps, or branches"),
        meaning(
            "shared shell",
            "name: w\nrunner: shared\nsteps: [{id: a, shell: ls}]\n",
            "line 2, column 9 (runner): agent steps, milestones and shell steps with the workspace need a runner of their own; allowed: 'isolation: isolated', or 'workspace: none' for each shell step"));
  }

  static Stream<Case> values() {
    return Stream.of(
        schema(
            "bad duration",
            "name: w\ndeadline: soon\nsteps: [{id: a, transform: '1'}]\n",
            "line 2, column 11 (deadline): 'soon' is not a duration; allowed: such as 200ms, 5s, 5m, 1h30m, 7d or PT5S, at most 3653d"),
        schema(
            "duration without unit",
            steps("- {id: b, wait: {for: 5}}\n"),
            "line 4, column 23 (step b, steps[1].wait.for): the duration 5 has no unit; allowed: such as 200ms, 5s, 5m, 1h30m, 7d or PT5S, at most 3653d"),
        schema(
            "several at once",
            steps(
                "- id: b\n  shell: ls\n  retry: {max: -1, factor: 20, bakoff: 1s}\n  max_visits: 0\n"),
            "line 6, column 16 (step b, steps[1].retry.max): -1 is out of bounds; allowed: 0 to 1000",
            "line 6, column 28 (step b, steps[1].retry.factor): the number 20 is not a factor; allowed: a number, 1 to 10",
            "line 6, column 32 (step b, steps[1].retry.bakoff): unknown key 'bakoff'; did you mean 'backoff'?; allowed: max, backoff, factor, max_backoff",
            "line 7, column 15 (step b, steps[1].max_visits): 0 is out of bounds; allowed: 1 to 1000000"),
        schema(
            "text required",
            "name: 5\nsteps: [{id: a, transform: '1'}]\n",
            "line 1, column 7 (name): this must be text, not the number 5; allowed: text; put it in quotes"),
        schema(
            "unknown choice",
            "name: w\nrunner: isolatd\nsteps: [{id: a, transform: '1'}]\n",
            "line 2, column 9 (runner): 'isolatd' is not known; did you mean 'isolated'?; allowed: isolated, shared"),
        schema(
            "unknown key of the runner",
            "name: w\nrunner: {launchr: process}\nsteps: [{id: a, transform: '1'}]\n",
            "line 2, column 10 (runner.launchr): unknown key 'launchr'; did you mean 'launcher'?; allowed: isolation, launcher, pool, labels"),
        schema(
            "label that is not text",
            "name: w\nrunner: {labels: {gpu: true}}\nsteps: [{id: a, transform: '1'}]\n",
            "line 2, column 24 (runner.labels.gpu): this must be text, not true; allowed: text; put it in quotes"),
        schema(
            "name of a pool",
            "name: w\nrunner: {pool: Big}\nsteps: [{id: a, transform: '1'}]\n",
            "line 2, column 16 (runner.pool): 'Big' is not allowed here; allowed: [a-z][a-z0-9_-]{0,62}"),
        meaning(
            "heartbeat too fast",
            "name: w\nheartbeat: {interval: 100ms}\nsteps: [{id: a, transform: '1'}]\n",
            "line 2, column 23 (heartbeat.interval): '100ms' is out of bounds; allowed: PT0.2S to PT24H (ISO-8601)"),
        meaning(
            "heartbeat timeout",
            "name: w\nheartbeat: {interval: 1s, timeout: 2s}\nsteps: [{id: a, transform: '1'}]\n",
            "line 2, column 36 (heartbeat.timeout): the timeout is shorter than three intervals; allowed: at least PT3S (ISO-8601)"),
        schema(
            "reserved variable",
            steps("- {id: b, shell: ls, env: {BATON_X: 1}}\n"),
            "line 4, column 37 (step b, steps[1].env.BATON_X): 'BATON_X' cannot be a variable's name; allowed: [A-Za-z_][A-Za-z0-9_]{0,127}, not beginning with BATON_"),
        schema(
            "default variables",
            "name: w\ndefaults:\n  env:\n    A: x\n    A=B: x\n    \"\": x\n    \"A\\0\": x\n    BATON_EPOCH: 7\n"
                + "steps: [{id: a, shell: ls}, {id: b, shell: ls}]\n",
            "line 5, column 10 (defaults.env.A=B): 'A=B' cannot be a variable's name; allowed: [A-Za-z_][A-Za-z0-9_]{0,127}, not beginning with BATON_",
            "line 6, column 9 (defaults.env.): '' cannot be a variable's name; allowed: [A-Za-z_][A-Za-z0-9_]{0,127}, not beginning with BATON_",
            "line 7, column 12 (defaults.env.A\0): 'A\0' cannot be a variable's name; allowed: [A-Za-z_][A-Za-z0-9_]{0,127}, not beginning with BATON_",
            "line 8, column 18 (defaults.env.BATON_EPOCH): 'BATON_EPOCH' cannot be a variable's name; allowed: [A-Za-z_][A-Za-z0-9_]{0,127}, not beginning with BATON_"),
        schema(
            "words of an interpreter",
            steps("- {id: b, shell: ls, interpreter: [x" + ", x".repeat(100) + "]}\n"),
            "line 4, column 35 (step b, steps[1].interpreter): the interpreter has too many words; allowed: at most 100"),
        meaning(
            "expression in a script",
            steps("- {id: b, shell: 'echo ${{ .input.x }}'}\n"),
            "line 4, column 18 (step b, steps[1].shell): a script has no '${{': text put into code can become code; allowed: env: {NAME: \"${{ … }}\"}, and \"$NAME\" in the script"),
        meaning(
            "path out of the workspace",
            steps("- {id: b, shell: ls, output: {file: ../x}}\n"),
            "line 4, column 37 (step b, steps[1].output.file): '../x' is not a path in the workspace; allowed: a relative path without '..'"),
        schema(
            "not a URL",
            steps("- {id: b, http: {url: 'ftp://x'}}\n"),
            "line 4, column 23 (step b, steps[1].http.url): 'ftp://x' is not a URL; allowed: http://… or https://…"),
        schema(
            "default without timeout",
            steps("- {id: b, approval: {prompt: ok, default: {approved: true}}}\n"),
            "line 4, column 43 (step b, steps[1].approval.default): a default answer needs a timeout; allowed: together with 'timeout'"),
        meaning(
            "default against schema",
            steps("- {id: b, approval: {prompt: ok, timeout: 1s, default: {approved: maybe}}}\n"),
            "line 4, column 67 (step b, steps[1].approval.default.approved): the default is not an answer the schema allows: string found, boolean expected"),
        schema(
            "input schema",
            "name: w\ninput:\n  type: object\n  properties:\n    n: {type: integr}\nsteps: [{id: a, transform: '1'}]\n",
            "line 5, column 15 (input.properties.n.type): not a JSON Schema: does not have a value in the enumeration [\"array\", \"boolean\", \"integer\", \"null\", \"number\", \"object\", \"string\"]; allowed: JSON Schema 2020-12",
            "line 5, column 15 (input.properties.n.type): not a JSON Schema: string found, array expected; allowed: JSON Schema 2020-12"),
        meaning(
            "wait until",
            steps("- {id: b, wait: {until: tomorrow}}\n"),
            "line 4, column 25 (step b, steps[1].wait.until): 'tomorrow' is not a time; allowed: such as 2026-05-01T12:00:00Z, or seconds since the epoch"),
        meaning(
            "jq",
            steps("- id: b\n  transform: |\n    .input\n    | nosuch(1)\n"),
            "line 7, column 7 (step b, steps[1].transform): function nosuch/1 does not exist in expressions; allowed: jq over .input, .steps and .run"),
        meaning(
            "jq in braces",
            steps("- {id: b, transform: '${{ 1 }}'}\n"),
            "line 4, column 22 (step b, steps[1].transform): this is an expression already; allowed: jq without '${{' and '}}'"),
        meaning(
            "open template",
            steps("- {id: b, approval: 'really ${{ .input'}\n"),
            "line 4, column 32 (step b, steps[1].approval): '${{' is not closed by '}}'; allowed: jq over .input, .steps and .run"));
  }

  static Stream<Case> graphs() {
    return Stream.of(
        meaning(
            "same id",
            steps("- {id: a, transform: '2'}\n"),
            "line 4, column 8 (step a, steps[1].id): the id 'a' is already used in line 3; allowed: ids that are unique in the whole workflow, branches included"),
        meaning(
            "same id in a branch",
            steps("- id: p\n  parallel:\n    branches:\n      x: [{id: a, transform: '2'}]\n"),
            "line 7, column 16 (step a, steps[1].parallel.branches.x[0].id): the id 'a' is already used in line 3; allowed: ids that are unique in the whole workflow, branches included"),
        meaning(
            "unknown target",
            steps("- {id: build, transform: '1', next: biuld}\n"),
            "line 4, column 37 (step build, steps[1].next): unknown step 'biuld'; did you mean 'build'?; allowed: a, build, end"),
        meaning(
            "target elsewhere",
            steps("- id: p\n  parallel: {branches: {x: [{id: b, transform: '1', next: a}]}}\n"),
            "line 5, column 59 (step b, steps[1].parallel.branches.x[0].next): step 'a' is in another list of steps; allowed: b, end"),
        meaning(
            "cycle",
            "name: w\nsteps:\n- {id: a, transform: '1'}\n- {id: b, transform: '1'}\n- {id: c, transform: '1', next: [{when: .steps.b.output, to: a}]}\n",
            "line 5, column 8 (step c, steps[2].id): the cycle a → b → c → a has no bound; allowed: max_visits on one of its steps"),
        meaning(
            "cycle within a bounded one",
            "name: w\nsteps:\n- {id: a, transform: '1', max_visits: 2}\n- {id: b, transform: '1', next: [{when: '.run', to: b}]}\n- {id: c, transform: '1', next: a}\n",
            "line 4, column 8 (step b, steps[1].id): the cycle b → b has no bound; allowed: max_visits on one of its steps"),
        meaning(
            "arm after the last",
            steps("- {id: b, transform: '1', next: [{to: end}, {to: end}]}\n"),
            "line 4, column 34 (step b, steps[1].next[0]): what follows an arm without 'when' is never taken; allowed: 'when', or the last place"),
        meaning(
            "arm after one for every outcome",
            steps(
                "- {id: b, transform: '1', next: [{on: any, to: end}, {on: failure, to: end}]}\n"),
            "line 4, column 34 (step b, steps[1].next[0]): what follows an arm without 'when' is never taken; allowed: 'when', or the last place"),
        meaning(
            "lighter arm after a heavier one",
            steps(
                "- {id: b, transform: '1', next: [{when: '1', to: end}, {weight: 2, to: end}]}\n"),
            "line 4, column 56 (step b, steps[1].next[1]): what follows an arm without 'when' is never taken; allowed: 'when', or the last place"),
        meaning(
            "cycle of failures",
            steps("- {id: b, transform: '1', next: [{on: failure, to: b}]}\n"),
            "line 4, column 8 (step b, steps[1].id): the cycle b → b has no bound; allowed: max_visits on one of its steps"),
        schema(
            "gate to the end",
            steps("- {id: b, transform: '1', gate: end}\n"),
            "line 4, column 33 (step b, steps[1].gate): a gate is evaluated at the end of the list, so it cannot lead there; allowed: a step's id"),
        meaning(
            "gate to nowhere",
            steps("- {id: b, transform: '1', gate: {to: c}}\n"),
            "line 4, column 38 (step b, steps[1].gate.to): unknown step 'c'; allowed: a, b, end"),
        meaning(
            "more branches to join than there are",
            steps(
                "- id: b\n  parallel:\n    join: 2\n    branches: {x: [{id: c, transform: '1'}]}\n"),
            "line 6, column 11 (step b, steps[1].parallel.join): there are 1 branches; allowed: at most 1"),
        schema(
            "join of nothing known",
            steps(
                "- id: b\n  parallel:\n    join: most\n    branches: {x: [{id: c, transform: '1'}]}\n"),
            "line 6, column 11 (step b, steps[1].parallel.join): 'most' is not known; allowed: all, any"));
  }

  static Stream<Case> references() {
    String parallel =
        "- id: p\n  parallel:\n    over: '[1]'\n    steps:\n    - {id: in, transform: .steps.a.output}\n    - {id: on, transform: .steps.in.output}\n";
    return Stream.of(
        meaning(
            "missing step",
            steps("- {id: b, transform: .steps.c.output}\n"),
            "line 4, column 22 (step b, steps[1].transform): unknown step 'c' (.steps.c.output); allowed: a"),
        meaning(
            "continued step that is unknown",
            continuing("claude", "furst"),
            "line 7, column 63 (step second, steps[3].agent.continue_from): step 'second' continues an unknown step 'furst'; did you mean 'first'?; allowed: first"),
        meaning(
            "continued step of another agent",
            continuing("codex", "first"),
            "line 7, column 62 (step second, steps[3].agent.continue_from): step 'second' has 'use: codex' and continues step 'first', which has 'use: claude'; allowed: a step with the same 'use'"),
        meaning(
            "continued step that runs later",
            continuing("claude", "last"),
            "line 7, column 63 (step second, steps[3].agent.continue_from): step 'second' continues step 'last', which cannot run before it or is in another branch; allowed: first"),
        meaning(
            "continued step that is itself",
            continuing("claude", "second"),
            "line 7, column 63 (step second, steps[3].agent.continue_from): step 'second' continues itself; allowed: first"),
        meaning(
            "continued step of another kind",
            continuing("claude", "shell"),
            "line 7, column 63 (step second, steps[3].agent.continue_from): step 'second' continues step 'shell', which is not an agent step; allowed: first"),
        meaning(
            "continued step in a branch",
            continuing("claude", "inner"),
            "line 7, column 63 (step second, steps[3].agent.continue_from): step 'second' continues step 'inner', which cannot run before it or is in another branch; allowed: first"),
        meaning(
            "later step",
            "name: w\nsteps:\n- {id: a, transform: .steps.b.output}\n- {id: b, transform: '1'}\n",
            "line 3, column 22 (step a, steps[0].transform): step 'b' can only run later (.steps.b.output); allowed: no step has run before this one"),
        meaning(
            "itself",
            steps("- {id: b, when: .steps.b.output, transform: '1'}\n"),
            "line 4, column 17 (step b, steps[1].when): step 'b' has no output before it has run (.steps.b.output); allowed: a"),
        meaning(
            "inner step from outside",
            steps(parallel + "- {id: z, transform: .steps.in.output}\n"),
            "line 10, column 22 (step z, steps[2].transform): step 'in' is in a branch of 'p' and not visible from here (.steps.in.output); allowed: a, p"),
        meaning(
            "other branch",
            steps(
                "- id: p\n  parallel:\n    branches:\n      x: [{id: l, transform: '1'}]\n      y: [{id: r, transform: .steps.l.output}]\n"),
            "line 8, column 30 (step r, steps[1].parallel.branches.y[0].transform): step 'l' is in a branch of 'p' and not visible from here (.steps.l.output); allowed: a"),
        meaning(
            "own parallel",
            steps(
                "- id: p\n  parallel: {over: '[1]', steps: [{id: in, transform: .steps.p.output}]}\n"),
            "line 5, column 55 (step in, steps[1].parallel.steps[0].transform): step 'p' has no output before all its branches have ended (.steps.p.output); allowed: a"),
        meaning(
            "dash",
            "name: w\nsteps:\n- {id: a-b, transform: '1'}\n- {id: c, transform: '.steps.a-(1)'}\n",
            "line 4, column 23 (step c, steps[1].transform): unknown step 'a'; a name with a dash is written .steps[\"a-b\"] (.steps.a); allowed: a-b"),
        meaning(
            "not output",
            steps("- {id: b, transform: .steps.a.result}\n"),
            "line 4, column 22 (step b, steps[1].transform): a step has no 'result' (.steps.a.result); allowed: output, outcome, error"),
        meaning(
            "unknown root",
            steps("- {id: b, transform: .inputs.x}\n"),
            "line 4, column 22 (step b, steps[1].transform): unknown name '.inputs'; did you mean 'input'? (.inputs.x); allowed: .input, .steps, .run"),
        meaning(
            "unknown input",
            "name: w\ninput: {additionalProperties: false, properties: {name: {}}}\nsteps:\n- {id: b, transform: .input.nme}\n",
            "line 4, column 22 (step b, steps[0].transform): the input has no 'nme'; did you mean 'name'? (.input.nme); allowed: name"),
        meaning(
            "branch outside",
            steps("- {id: b, transform: .run.branch.item}\n"),
            "line 4, column 22 (step b, steps[1].transform): '.run.branch' is only there within a parallel (.run.branch.item)"),
        meaning(
            "in a block",
            steps("- id: b\n  shell: ls\n  env:\n    X: |\n      one\n      ${{ .steps.nope }}\n"),
            "line 9, column 11 (step b, steps[1].env.X): unknown step 'nope' (.steps.nope); allowed: a"));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void shouldSayExactlyWhatIsWrong(Case bad) {
    assertThat(problems(bad.yaml(), DefinitionFormat.YAML)).isEqualTo(bad.problems());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void shouldAgreeWithThePublishedSchema(Case bad) {
    LocatedNode tree =
        DefinitionReader.read(
            bad.yaml().getBytes(StandardCharsets.UTF_8),
            DefinitionFormat.YAML,
            new DefinitionProblemCollector());

    assertThat(tree).isNotNull();
    assertThat(PublishedSchema.violations(tree.toJson()).isEmpty())
        .isEqualTo(bad.seen() == Seen.BY_PARSER_ONLY);
  }

  @Test
  void shouldNotRepeatItselfForever() {
    StringBuilder yaml = new StringBuilder("name: w\nsteps:\n");
    for (int i = 0; i < 500; i++) {
      yaml.append("- {id: s").append(i).append(", wat: 5s}\n");
    }

    assertThat(problems(yaml.toString(), DefinitionFormat.YAML))
        .hasSize(DefinitionProblemCollector.MAX + 1)
        .last()
        .isEqualTo("there are more problems than the 100 shown");
  }

  static List<String> problems(String text, DefinitionFormat format) {
    return switch (WorkflowParser.parse(text.getBytes(StandardCharsets.UTF_8), format)) {
      case WorkflowParseResult.Invalid(List<DefinitionProblem> problems) ->
          problems.stream().map(DefinitionProblem::describe).toList();
      case WorkflowParseResult.Valid valid -> List.of();
    };
  }
}
