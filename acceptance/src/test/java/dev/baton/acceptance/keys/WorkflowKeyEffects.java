/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.keys;

import static java.util.Map.entry;

import java.util.Map;
import java.util.TreeMap;

/** The effect of each key of the workflow schema, for {@link WorkflowKeysTest}. */
final class WorkflowKeyEffects {
  /**
   * The effect of a key.
   *
   * @param one a definition, shortened: only steps if it is about a step
   * @param other the same with another value
   * @param member the member with the value: {@code Type.accessor} of the workflow package
   * @param shown whether the only purpose of the value is to be shown
   */
  record Effect(String one, String other, String member, boolean shown) {}

  private static Effect acts(String one, String other, String member) {
    return new Effect(one, other, member, false);
  }

  private static Effect shows(String one, String other, String member) {
    return new Effect(one, other, member, true);
  }

  static final Map<String, Effect> ALL = new TreeMap<>();

  private static void add(String definition, Map<String, Effect> effects) {
    effects.forEach((key, effect) -> ALL.put(definition + "." + key, effect));
  }

  static {
    String s = "steps: [{id: a, transform: '1'}]";
    add(
        "workflow",
        Map.ofEntries(
            entry("name", acts("name: w\n" + s, "name: v\n" + s, "Workflow.name")),
            entry("description", shows("description: x\n" + s, s, "Workflow.description")),
            entry("input", acts("input: {type: object}\n" + s, s, "Workflow.input")),
            entry("runner", acts("runner: isolated\n" + s, s, "Workflow.isolation")),
            entry(
                "runner.isolation",
                acts("runner: {isolation: isolated}\n" + s, s, "Workflow.isolation")),
            entry(
                "runner.launcher",
                acts("runner: {launcher: a}\n" + s, s, "RunnerSelector.launcher")),
            entry("runner.pool", acts("runner: {pool: a}\n" + s, s, "RunnerSelector.pool")),
            entry(
                "runner.labels",
                acts("runner: {labels: {a: b}}\n" + s, s, "RunnerSelector.labels")),
            entry("deadline", acts("deadline: 1h\n" + s, s, "Workflow.deadline")),
            entry("restart", acts("restart: never\n" + s, s, "Workflow.restart")),
            entry("heartbeat", acts("heartbeat: {interval: 1s}\n" + s, s, "Workflow.heartbeat")),
            entry(
                "heartbeat.interval",
                acts(
                    "heartbeat: {interval: 1s, timeout: 9s}\n" + s,
                    "heartbeat: {interval: 2s, timeout: 9s}\n" + s,
                    "HeartbeatSettings.interval")),
            entry(
                "heartbeat.timeout",
                acts(
                    "heartbeat: {interval: 1s, timeout: 9s}\n" + s,
                    "heartbeat: {interval: 1s}\n" + s,
                    "HeartbeatSettings.timeout")),
            entry("workspace", acts("workspace: {exclude: [out/]}\n" + s, s, "Workflow.exclude")),
            entry(
                "workspace.exclude",
                acts("workspace: {exclude: [out/]}\n" + s, s, "Workflow.exclude")),
            entry("park_after", acts("park_after: 1h\n" + s, s, "Workflow.parkAfter")),
            entry("max_reroutes", acts("max_reroutes: 3\n" + s, s, "Workflow.maxReroutes")),
            entry("concurrency", acts("concurrency: 3\n" + s, s, "Workflow.concurrency")),
            entry(
                "mcp",
                acts(
                    mcp("a: {command: x}"),
                    step("agent: {use: loop, prompt: x}"),
                    "StepKind$Agent.mcp")),
            entry("secrets", acts(secret("{env: A}") + s, s, "Workflow.secrets")),
            entry("defaults", acts("defaults: {retry: 2}\n" + shell(""), shell(""), "Step.retry")),
            entry(
                "defaults.retry",
                acts("defaults: {retry: 2}\n" + shell(""), shell(""), "Step.retry")),
            entry(
                "defaults.timeout",
                acts("defaults: {timeout: 2s}\n" + shell(""), shell(""), "Step.timeout")),
            entry(
                "defaults.env",
                acts("defaults: {env: {A: b}}\n" + shell(""), shell(""), "StepKind$Shell.env")),
            entry(
                "defaults.sandbox",
                acts("defaults: {sandbox: true}\n" + shell(""), shell(""), "Step.sandbox")),
            entry("steps", acts(s, "steps: [{id: b, transform: '1'}]", "Workflow.flow"))));
    add(
        "retry",
        Map.of(
            "max",
                acts(
                    shell("retry: {max: 1}"),
                    shell("retry: {max: 2}"),
                    "StepRetryPolicy.allowsAfter"),
            "backoff", retry("backoff: 9s"),
            "factor", retry("factor: 3"),
            "max_backoff", retry("max_backoff: 9s")));
    add(
        "next",
        Map.of(
            "on", acts(next("{on: any, to: end}"), next("{to: end}"), "StepTransition.on"),
            "when", acts(next("{when: 'true', to: b}"), next("{to: b}"), "StepTransition.when"),
            "weight",
                acts(
                    next("{when: .input.a, to: b}, {when: .input.b, weight: 2, to: end}"),
                    next("{when: .input.a, to: b}, {when: .input.b, to: end}"),
                    "Step.next"),
            "to", acts(next("{to: b}"), next("{to: end}"), "StepTransition.to")));
    add(
        "gate",
        Map.of(
            "when",
                acts(
                    shell("gate: {when: .input.a}"),
                    shell("gate: {when: .input.b}"),
                    "StepGate.when"),
            "to",
                acts(
                    shell("gate: {to: a}, max_visits: 2"),
                    shell("gate: {}, max_visits: 2"),
                    "StepGate.to")));
    add("step", ofEveryStep());
    add("step", ofKinds());
    add(
        "sandbox",
        Map.of(
            "network", sandbox("network: host", "network"),
            "hosts", sandbox("network: proxy, hosts: a.example", "hosts"),
            "read_only", sandbox("read_only: [.git]", "readOnly"),
            "write", sandbox("write: [/srv/cache]", "write"),
            "user", sandbox("user: 1000", "user")));
    add("mcp_server", ofServers());
    add(
        "secret",
        Map.of(
            "env",
            acts(secret("{env: A}") + s, secret("{env: B}") + s, "SecretReference$Env.variable"),
            "file",
            acts(secret("{file: /a}") + s, secret("{file: /b}") + s, "SecretReference$File.path"),
            "vault",
            acts(
                secret("{vault: s/data/a#f}") + s,
                secret("{vault: s/data/b#f}") + s,
                "SecretReference$Vault.path"),
            "command",
            acts(
                secret("{command: a}") + s,
                secret("{command: b}") + s,
                "SecretReference$Command.words")));
  }

  private static Map<String, Effect> ofEveryStep() {
    String milestone = "milestone: {title: t, tier: tier0, verify: [x]}";
    return Map.ofEntries(
        entry("id", acts("steps: [{id: a, wait: 1s}]", "steps: [{id: b, wait: 1s}]", "Step.id")),
        entry("title", shows(shell("title: t"), shell(""), "Step.title")),
        entry("when", acts(shell("when: .input.a"), shell(""), "Step.when")),
        entry("retry", acts(shell("retry: 1"), shell(""), "Step.retry")),
        entry("timeout", acts(shell("timeout: 1s"), shell(""), "Step.timeout")),
        entry("workspace", acts(shell("workspace: none"), shell(""), "Step.usesFiles")),
        entry("resume", acts(shell("resume: from_checkpoint"), shell(""), "Step.resume")),
        entry("sandbox", acts(shell("sandbox: true"), shell(""), "Step.sandbox")),
        entry("next", acts(next("{to: end}"), next("{to: b}"), "Step.next")),
        entry("gate", acts(shell("gate: {}"), shell(""), "Step.gate")),
        entry("max_visits", acts(shell("max_visits: 2"), shell(""), "Step.maxVisits")),
        entry("milestone", acts(shell(milestone), shell(""), "Step.milestone")),
        entry(
            "milestone.title",
            acts(
                shell(milestone),
                shell(milestone.replace("title: t", "title: u")),
                "MilestoneSettings.title")),
        entry(
            "milestone.tier",
            acts(
                shell(milestone),
                shell(milestone.replace("tier0", "tier1")),
                "MilestoneSettings.tier")),
        entry(
            "milestone.verify",
            acts(
                shell(milestone),
                shell(milestone.replace("[x]", "[y]")),
                "MilestoneSettings.verify")));
  }

  private static Map<String, Effect> ofKinds() {
    String over = "parallel: {over: .input, steps: [{id: b, wait: 1s}]}";
    String branches = "parallel: {branches: {x: [{id: b, wait: 1s}]}}";
    return Map.ofEntries(
        entry("shell", acts("steps: [{id: a, shell: x}]", shell(""), "StepKind$Shell.script")),
        entry("env", acts(shell("env: {A: b}"), shell(""), "StepKind$Shell.env")),
        entry("output", acts(shell("output: json"), shell(""), "StepKind$Shell.output")),
        entry(
            "output.file",
            acts(shell("output: {file: a}"), shell("output: {file: b}"), "ShellOutput$File.path")),
        entry(
            "output.as",
            acts(
                shell("output: {file: a, as: json}"),
                shell("output: {file: a}"),
                "ShellOutput$File.as")),
        entry(
            "interpreter", acts(shell("interpreter: sh"), shell(""), "StepKind$Shell.interpreter")),
        entry(
            "ok_exit_codes",
            acts(shell("ok_exit_codes: 3"), shell(""), "StepKind$Shell.okExitCodes")),
        entry("http", http("", "method: PUT", "method")),
        entry("http.method", http("", "method: PUT", "method")),
        entry(
            "http.url",
            acts(
                step("http: {url: 'http://a'}"),
                step("http: {url: 'http://b'}"),
                "StepKind$Http.url")),
        entry("http.headers", http("", "headers: {A: b}", "headers")),
        entry("http.body", http("", "body: x", "body")),
        entry("http.timeout", http("", "timeout: 9s", "timeout")),
        entry("http.expect", http("", "expect: 201", "expects")),
        entry(
            "transform",
            acts(
                step("transform: .input.a"),
                step("transform: .input.b"),
                "StepKind$Transform.expression")),
        entry("parallel", acts(step(over), step(branches), "StepKind$Over.body")),
        entry(
            "parallel.over",
            acts(step(over), step(over.replace(".input", ".run")), "StepKind$Over.items")),
        entry(
            "parallel.steps",
            acts(step(over), step(over.replace("1s", "2s")), "StepKind$Over.body")),
        entry(
            "parallel.branches",
            acts(step(branches), step(branches.replace("1s", "2s")), "StepKind.lists")),
        entry(
            "parallel.max",
            acts(
                step(over), step(over.replace("{over", "{max: 2, over")), "StepKind$Parallel.max")),
        entry(
            "parallel.join",
            acts(
                step(over),
                step(over.replace("{over", "{join: any, over")),
                "StepKind$Parallel.join")),
        entry(
            "approval", acts(step("approval: x"), step("approval: y"), "StepKind$Approval.prompt")),
        entry(
            "approval.prompt",
            acts(
                step("approval: {prompt: x}"),
                step("approval: {prompt: y}"),
                "StepKind$Approval.prompt")),
        entry("approval.schema", approval("schema: {type: object}", "schema")),
        entry("approval.timeout", approval("timeout: 1h", "timeout")),
        entry(
            "approval.default",
            acts(
                step("approval: {prompt: x, timeout: 1h, default: {approved: true}}"),
                step("approval: {prompt: x, timeout: 1h}"),
                "StepKind$Approval.defaultAnswer")),
        entry("wait", acts(step("wait: 1s"), step("wait: 2s"), "StepKind$Wait.time")),
        entry(
            "wait.for",
            acts(step("wait: {for: 1s}"), step("wait: {for: 2s}"), "WaitTime$For.duration")),
        entry(
            "wait.until",
            acts(
                step("wait: {until: '2026-01-01T00:00:00Z'}"),
                step("wait: {until: '2027-01-01T00:00:00Z'}"),
                "WaitTime$Until.instant")),
        entry("fn", acts(step("fn: a"), step("fn: b"), "StepKind$Fn.bean")),
        entry("fn.bean", acts(step("fn: {bean: a}"), step("fn: {bean: b}"), "StepKind$Fn.bean")),
        entry(
            "fn.args",
            acts(step("fn: {bean: a, args: {x: 1}}"), step("fn: {bean: a}"), "StepKind$Fn.args")),
        entry("agent", agent("", "version: '2'", "version")),
        entry(
            "agent.use",
            acts(
                step("agent: {use: claude, prompt: x}"),
                step("agent: {use: codex, prompt: x}"),
                "StepKind$Agent.use")),
        entry(
            "agent.command",
            acts(
                step("agent: {use: command, command: a, prompt: x}"),
                step("agent: {use: command, command: b, prompt: x}"),
                "StepKind$Agent.command")),
        entry("agent.version", agent("", "version: '2'", "version")),
        entry("agent.model", agent("", "model: m", "model")),
        entry(
            "agent.prompt",
            acts(
                step("agent: {use: claude, prompt: x}"),
                step("agent: {use: claude, prompt: y}"),
                "StepKind$Agent.prompt")),
        entry("agent.system", agent("", "system: s", "system")),
        entry("agent.images", agent("", "images: a.png", "images")),
        entry("agent.tools", agent("", "tools: {allow: [a]}", "allow")),
        entry("agent.tools.allow", agent("", "tools: {allow: [a]}", "allow")),
        entry("agent.tools.ask", part("", "tools: {ask: [a]}", "ToolQuestions.patterns")),
        entry("agent.tools.timeout", part("", "tools: {timeout: 1h}", "ToolQuestions.timeout")),
        entry("agent.tools.deny", agent("", "tools: {deny: [a]}", "deny")),
        entry("agent.interrupted", agent("", "interrupted: {tell: [a]}", "interrupted")),
        entry("agent.interrupted.rerun", interrupted("rerun")),
        entry("agent.interrupted.ask", interrupted("ask")),
        entry("agent.interrupted.tell", interrupted("tell")),
        entry("agent.background", agent("", "background: [{match: a}]", "background")),
        entry("agent.background.match", background("{match: b}", "match")),
        entry("agent.background.restart", background("{match: a, restart: false}", "restart")),
        entry("agent.budget", agent("", "budget: {cost: 1}", "budget")),
        entry("agent.budget.cost", budget("cost")),
        entry("agent.budget.tokens", budget("tokens")),
        entry("agent.budget.turns", budget("turns")),
        entry("agent.cut", part("", "cut: none", "Step.resume")),
        entry("agent.cut.when", agent("cut: plan", "cut: {when: .type}", "cut")),
        entry(
            "agent.mcp",
            acts(
                mcp("a: {command: x}"),
                mcp("a: {command: x}").replace("prompt: x", "prompt: x, mcp: []"),
                "StepKind$Agent.mcp")),
        entry("agent.context", context("window: 9000", "window")),
        entry("agent.context.window", context("window: 9000", "window")),
        entry("agent.context.compact_at", context("compact_at: 0.5", "compactAt")),
        entry("agent.continue_from", continuing()),
        entry("agent.interactive", interactive()),
        entry("agent.gateway", agent("", "gateway: off, login: A", "login")),
        entry("agent.login", agent("gateway: off, login: A", "gateway: off, login: B", "login")),
        entry("agent.idle", agent("", "idle: 5m", "idle")),
        entry("agent.output", agent("", "output: json", "output")),
        entry("agent.output.schema", agent("output: json", "output: {schema: {}}", "output")));
  }

  private static Map<String, Effect> ofServers() {
    return Map.ofEntries(
        entry("command", server("command: x", "command: y", "command")),
        entry("env", server("command: x", "command: x, env: {A: b}", "env")),
        entry("url", server("url: 'http://a/'", "url: 'http://b/'", "url")),
        entry(
            "headers", server("url: 'http://a/'", "url: 'http://a/', headers: {A: b}", "headers")),
        entry("state", server("command: x", "command: x, state: y", "state")),
        entry("timeout", server("command: x", "command: x, timeout: 5s", "timeout")));
  }

  private static String secret(String reference) {
    return "secrets: {x: " + reference + "}\n";
  }

  private static String mcp(String servers) {
    return "mcp: {" + servers + "}\n" + step("agent: {use: loop, prompt: x}");
  }

  private static Effect server(String one, String other, String accessor) {
    return acts(
        mcp("a: {" + one + "}"), mcp("a: {" + other + "}"), "McpServerDefinition." + accessor);
  }

  private static Effect agent(String one, String other, String accessor) {
    return part(one, other, "StepKind$Agent." + accessor);
  }

  /** Compares two agents; an empty key is none. */
  private static Effect part(String one, String other, String member) {
    return acts(
        step("agent: {use: claude, prompt: x" + (one.isEmpty() ? "" : ", " + one) + "}"),
        step("agent: {use: claude, prompt: x, " + other + "}"),
        member);
  }

  private static Effect interrupted(String name) {
    return part("", "interrupted: {" + name + ": [a]}", "InterruptedCalls." + name);
  }

  private static Effect background(String rule, String accessor) {
    return part(
        "background: [{match: a}]", "background: [" + rule + "]", "BackgroundRule." + accessor);
  }

  private static Effect context(String value, String accessor) {
    return acts(
        step("agent: {use: loop, prompt: x}"),
        step("agent: {use: loop, prompt: x, context: {" + value + "}}"),
        "AgentContext." + accessor);
  }

  private static Effect interactive() {
    String agent = "agent: {use: command, command: [a], prompt: x, interactive: ";
    return acts(step(agent + "false}"), step(agent + "true}"), "StepKind$Agent.interactive");
  }

  private static Effect continuing() {
    String two =
        "name: w\nsteps:\n- {id: a, agent: {use: loop, prompt: x}}\n- {id: b, agent: {use: loop, prompt: x%s}}\n";
    return acts(
        two.formatted(""), two.formatted(", continue_from: a"), "StepKind$Agent.continueFrom");
  }

  private static Effect budget(String name) {
    String key = "budget: {" + name + ": ";
    return part(key + "1}", key + "2}", "AgentBudget." + name);
  }

  private static String step(String kind) {
    return "steps: [{id: a, " + kind + "}]";
  }

  private static String shell(String key) {
    return step("shell: make" + (key.isEmpty() ? "" : ", " + key));
  }

  private static String next(String arms) {
    return "steps: [{id: a, wait: 1s, next: [" + arms + "]}, {id: c, wait: 1s}, {id: b, wait: 1s}]";
  }

  private static Effect sandbox(String key, String accessor) {
    return acts(shell("sandbox: {" + key + "}"), shell("sandbox: true"), "SandboxRule." + accessor);
  }

  private static Effect retry(String key) {
    return acts(
        shell("retry: {max: 9, " + key + "}"),
        shell("retry: {max: 9}"),
        "StepRetryPolicy.delayAfter");
  }

  private static Effect http(String one, String other, String accessor) {
    return acts(
        step("http: {url: 'http://a'" + (one.isEmpty() ? "" : ", " + one) + "}"),
        step("http: {url: 'http://a', " + other + "}"),
        "StepKind$Http." + accessor);
  }

  private static Effect approval(String key, String accessor) {
    return acts(
        step("approval: {prompt: x, " + key + "}"),
        step("approval: {prompt: x}"),
        "StepKind$Approval." + accessor);
  }

  private WorkflowKeyEffects() {}
}
