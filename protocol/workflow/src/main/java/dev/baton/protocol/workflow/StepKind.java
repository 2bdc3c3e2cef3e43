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
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a step does. */
public sealed interface StepKind {
  /** The name of the list that each branch of an {@link Over} runs. */
  String EACH = "*";

  /** The name in definitions and in the trace. */
  String word();

  /** Returns the lists of steps within it, by branch name. */
  default Map<String, StepFlow> lists() {
    return Map.of();
  }

  /**
   * Runs {@code <interpreter…> <script>}.
   *
   * @param script text, never a template: data is passed through {@code env}, where it cannot be
   *     interpreted as code
   * @param interpreter the words before the script
   * @param okExitCodes exit codes that count as success
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
   * @param timeout of the request, response included
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

  /** Runs branches concurrently; each is its own list of steps with its own journal. */
  sealed interface Parallel extends StepKind {
    /** Maximum number of items or branches. */
    int MAX_WIDTH = 10_000;

    /** The default number of concurrent branches. */
    int DEFAULT_MAX = 8;

    /** The number of concurrent branches, 1 to {@link #MAX_WIDTH}. */
    int max();

    /** The number of branches that must succeed. */
    JoinPolicy join();

    @Override
    default String word() {
      return "parallel";
    }
  }

  /**
   * One branch for each item of a list, named by its index; the output is the list of the branches'
   * outputs, null for those that did not succeed.
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
   * succeed.
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
   * @param timeout after which {@code defaultAnswer} is the answer; without a default answer, the
   *     step fails
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

  /**
   * Lets a coding agent work in the workspace. The output is its final text, or the JSON in it.
   *
   * @param use which agent, one of {@link #USES}
   * @param command program and arguments, for {@link #USES_WITH_COMMAND}; empty for the agent's own
   * @param version wanted of the program; any where empty
   * @param model empty for the runner's default
   * @param prompt the task
   * @param system added to the agent's own system prompt
   * @param images paths in the workspace of images that the prompt begins with
   * @param allow patterns of tools that it may use; all where empty
   * @param deny patterns of tools that it may not use
   * @param interrupted what happens to calls that had begun when the agent was lost
   * @param background which processes in the background are started again at a resume
   * @param budget of all visits of the step
   * @param mcp servers that it may use, by name
   * @param idle after which time without any event or request the agent counts as hung
   * @param output the schema of its final JSON; empty for text
   * @param context how long conversations may be, for {@link #USES_WITH_CONTEXT}
   * @param continueFrom id of an earlier agent step whose conversation this one continues
   * @param interactive whether the program runs on a screen to which people attach, for {@link
   *     #USES_WITH_SCREEN}
   * @param cut at which boundaries files and state are captured
   * @param login variables of the runner with the agent's own login, where it does not use the
   *     gateway; empty with the gateway
   */
  record Agent(
      String use,
      List<String> command,
      Optional<String> version,
      Optional<String> model,
      Template prompt,
      Optional<Template> system,
      List<Template> images,
      List<String> allow,
      ToolQuestions ask,
      List<String> deny,
      InterruptedCalls interrupted,
      List<BackgroundRule> background,
      AgentBudget budget,
      Map<String, McpServerDefinition> mcp,
      Duration idle,
      Optional<InputSchema> output,
      AgentContext context,
      Optional<String> continueFrom,
      boolean interactive,
      AgentCutRule cut,
      Optional<List<String>> login)
      implements StepKind {
    /** The agents that definitions can name; a runner may have fewer. */
    public static final List<String> USES =
        List.of("claude", "codex", "opencode", "acp", "command", "loop");

    /** Those whose program the definition names. */
    public static final List<String> USES_WITH_COMMAND = List.of("acp", "command");

    /** Those whose prompt can have images. */
    public static final List<String> USES_WITH_IMAGES =
        List.of("claude", "codex", "opencode", "acp", "loop");

    /** Those whose conversations the runner shortens. */
    public static final List<String> USES_WITH_CONTEXT = List.of("loop");

    /** Those that can run on a screen to which people attach. */
    public static final List<String> USES_WITH_SCREEN =
        List.of("command", "claude", "codex", "opencode");

    /** The most images of a prompt. */
    public static final int MAX_IMAGES = 20;

    /** Those that request a permission for a tool call, so that a person can decide on it. */
    public static final List<String> USES_THAT_ASK =
        List.of("claude", "codex", "opencode", "acp", "loop");

    /**
     * Those that wait before each tool call until it may run, and give the model the text of a
     * refusal, so that an interrupted call can be kept from running again.
     */
    public static final List<String> USES_THAT_HOLD_CALLS = List.of("claude", "opencode", "loop");

    /**
     * Those that report what a step needs without the gateway: answers, and rests between turns.
     */
    public static final List<String> USES_WITHOUT_GATEWAY = List.of("claude", "codex", "opencode");

    /** The {@code idle} of steps that name none: longer than nearly any silent tool. */
    public static final Duration IDLE = Duration.ofHours(1);

    public Agent {
      command = List.copyOf(command);
      images = List.copyOf(images);
      allow = List.copyOf(allow);
      deny = List.copyOf(deny);
      background = List.copyOf(background);
      mcp = Collections.unmodifiableMap(new LinkedHashMap<>(mcp));
      login = login.map(List::copyOf);
    }

    /**
     * Returns the same step with another agent, of its own program and any version, or another
     * model.
     *
     * @param otherUse null for the same agent
     * @param otherModel null for the same model
     */
    public Agent with(@Nullable String otherUse, @Nullable String otherModel) {
      boolean same = otherUse == null || otherUse.equals(use);
      return new Agent(
          otherUse == null ? use : otherUse,
          same ? command : List.of(),
          same ? version : Optional.empty(),
          otherModel == null ? model : Optional.of(otherModel),
          prompt,
          system,
          images,
          allow,
          ask,
          deny,
          interrupted,
          background,
          budget,
          mcp,
          idle,
          output,
          context,
          continueFrom,
          interactive && same,
          cut,
          login);
    }

    /** Whether the agent uses the model gateway of the runner, and not its own login. */
    public boolean usesGateway() {
      return login.isEmpty();
    }

    @Override
    public String word() {
      return "agent";
    }
  }
}
