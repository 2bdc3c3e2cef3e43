/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop;

import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent.ToolOutcome;
import dev.baton.agent.ToolDecision;
import dev.baton.agent.ToolRules;
import dev.baton.agent.loop.model.LoopModelCaller;
import dev.baton.agent.loop.model.LoopModelException;
import dev.baton.agent.loop.session.LoopConversation;
import dev.baton.agent.loop.session.Plan;
import dev.baton.agent.loop.session.SessionRow;
import dev.baton.agent.loop.session.SessionRow.ToolCall;
import dev.baton.agent.loop.tool.LoopTool;
import dev.baton.agent.loop.tool.LoopToolRegistry;
import dev.baton.agent.loop.tool.ToolArguments;
import dev.baton.agent.loop.tool.ToolFailureException;
import dev.baton.agent.loop.tool.ToolOutput;
import dev.baton.agent.process.ToolInput;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Requests answers and runs their calls until an answer has none. What is to be done next follows
 * from the conversation's rows alone: a call with a result never runs again, and a conversation
 * that was resumed continues where its rows end. For one use and one thread.
 */
final class AgentLoop {
  /** The most answers of a session. */
  static final int MAX_ANSWERS = 2_000;

  private final LoopSettings settings;
  private final LoopConversation conversation;
  private final LoopToolRegistry tools;
  private final LoopModelCaller model;
  private final LoopChannel channel;
  private final ConversationCompactor compactor;
  private final ToolRules rules;
  private final String child;
  private final int maxAnswers;

  /**
   * @param child id of the session of a sub-agent; empty for the session of the step
   * @param maxAnswers the most answers of the session
   */
  AgentLoop(
      LoopSettings settings,
      LoopConversation conversation,
      LoopToolRegistry tools,
      LoopModelCaller model,
      LoopChannel channel,
      String child,
      int maxAnswers) {
    this.settings = settings;
    this.conversation = conversation;
    this.tools = tools;
    this.model = model;
    this.channel = channel;
    this.compactor = new ConversationCompactor(settings, conversation, model, channel);
    this.rules = rules(settings);
    this.child = child;
    this.maxAnswers = maxAnswers;
  }

  /** Tools of the session change nothing outside of it: they are always among the allowed ones. */
  private static ToolRules rules(LoopSettings settings) {
    List<String> allow = new ArrayList<>(settings.allow());
    if (!allow.isEmpty()) {
      allow.addAll(LoopToolRegistry.SESSION_TOOLS);
    }
    return new ToolRules(allow, settings.ask(), settings.deny(), settings.interrupted());
  }

  /**
   * Runs to the end of the turn, which it returns.
   *
   * @throws LoopModelException when the model gives no answer
   */
  AgentEnd run() throws LoopModelException, IOException, InterruptedException {
    while (true) {
      List<ToolCall> open = conversation.openCalls();
      SessionRow.Answer newest = conversation.newestAnswer();
      if (!open.isEmpty()) {
        runCalls(open);
      } else if (newest != null && newest.calls().isEmpty() && !newest.cutOff()) {
        return new AgentEnd(AgentEnd.Kind.COMPLETED, result(newest.text()), 0, "");
      } else if (conversation.answers() >= maxAnswers) {
        return new AgentEnd(
            AgentEnd.Kind.FAILED,
            "",
            0,
            "the work has not ended after %d answers".formatted(maxAnswers));
      } else {
        if (newest != null && newest.calls().isEmpty()) {
          conversation.continueAnswer();
        }
        request();
      }
    }
  }

  private void request() throws LoopModelException, IOException, InterruptedException {
    String system = LoopPrompt.system(settings, conversation.session());
    compactor.compact(system);
    SessionRow.Answer answer = model.call(system, conversation.requestRows());
    conversation.addAnswer(answer);
    if (!answer.text().isBlank()) {
      channel.text(answer.text(), child);
    }
  }

  /** Removes the fences that models put around JSON in spite of the prompt. */
  private String result(String text) {
    String result = text.strip();
    if (settings.outputSchema().isBlank() || !result.startsWith("```") || !result.endsWith("```")) {
      return result;
    }
    int line = result.indexOf('\n');
    return line < 0 ? result : result.substring(line + 1, result.length() - 3).strip();
  }

  /**
   * One by one, in the order of the answer, unless all of them change nothing. None runs before the
   * decisions on all of them are there: a loop that ends while it waits has changed nothing.
   */
  private void runCalls(List<ToolCall> calls)
      throws LoopModelException, IOException, InterruptedException {
    Map<String, ToolDecision> decisions = decisions(calls);
    if (calls.size() > 1 && calls.stream().allMatch(this::runsBesideOthers)) {
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        List<Future<Done>> running = new ArrayList<>();
        for (ToolCall call : calls) {
          running.add(threads.submit(() -> run(call, decisions)));
        }
        for (int i = 0; i < calls.size(); i++) {
          add(calls.get(i), running.get(i).get());
        }
      } catch (ExecutionException e) {
        throw new IllegalStateException(e.getCause());
      }
      return;
    }
    for (ToolCall call : calls) {
      add(call, run(call, decisions));
    }
  }

  /** Requests the decisions on all calls that need one, and waits for them, without a bound. */
  private Map<String, ToolDecision> decisions(List<ToolCall> calls) throws InterruptedException {
    Map<String, CompletableFuture<ToolDecision>> requested = new LinkedHashMap<>();
    for (ToolCall call : calls) {
      try {
        ToolArguments arguments = ToolArguments.parse(call.arguments());
        if (tools.find(call.name()).isPresent()
            && judge(call, arguments) == ToolRules.Verdict.ASK) {
          requested.put(call.id(), channel.decide(call.id(), call.name(), arguments.json()));
        }
      } catch (ToolFailureException e) {
        // The call gets this fault as its result when its turn comes.
        continue;
      }
    }
    Map<String, ToolDecision> decisions = new HashMap<>();
    for (Map.Entry<String, CompletableFuture<ToolDecision>> decision : requested.entrySet()) {
      try {
        decisions.put(decision.getKey(), decision.getValue().get());
      } catch (ExecutionException e) {
        throw new IllegalStateException(e.getCause());
      }
    }
    return decisions;
  }

  private boolean runsBesideOthers(ToolCall call) {
    try {
      return tools.find(call.name()).map(LoopTool::readOnly).orElse(false)
          && runsAtOnce(call, ToolArguments.parse(call.arguments()));
    } catch (ToolFailureException e) {
      return false;
    }
  }

  private boolean runsAtOnce(ToolCall call, ToolArguments arguments) {
    return judge(call, arguments) == ToolRules.Verdict.ALLOW && !isWatched(call, arguments);
  }

  private boolean isWatched(ToolCall call, ToolArguments arguments) {
    return rules.watches(call.name(), new ToolInput(arguments.json()).main());
  }

  private ToolRules.Verdict judge(ToolCall call, ToolArguments arguments) {
    return rules.judge(call.name(), new ToolInput(arguments.json()).main());
  }

  /** A call that has run. */
  private record Done(ToolOutput output, ToolOutcome outcome) {
    static Done failed(String text, ToolOutcome outcome) {
      return new Done(new ToolOutput(text, true, List.of(), List.of()), outcome);
    }
  }

  private Done run(ToolCall call, Map<String, ToolDecision> decisions)
      throws LoopModelException, InterruptedException {
    ToolArguments arguments;
    try {
      arguments = ToolArguments.parse(call.arguments());
    } catch (ToolFailureException e) {
      channel.toolBegun(call.id(), call.name(), Json.mapper().createObjectNode(), child);
      return Done.failed(String.valueOf(e.getMessage()), ToolOutcome.FAILED);
    }
    LoopTool tool = tools.find(call.name()).orElse(null);
    String denied = tool == null ? null : denied(call, arguments, decisions.get(call.id()));
    if (tool != null && denied == null && isWatched(call, arguments)) {
      denied = refused(call, arguments);
    }
    channel.toolBegun(call.id(), call.name(), arguments.json(), child);
    if (tool == null) {
      return Done.failed(
          "'%s' is not a tool. The tools are: %s."
              .formatted(call.name(), String.join(", ", tools.names())),
          ToolOutcome.FAILED);
    }
    if (denied != null) {
      return Done.failed(denied, ToolOutcome.DENIED);
    }
    try {
      ToolOutput output = tool.run(call.id(), arguments);
      return new Done(output, output.failed() ? ToolOutcome.FAILED : ToolOutcome.OK);
    } catch (ToolFailureException e) {
      return Done.failed(String.valueOf(e.getMessage()), ToolOutcome.FAILED);
    } catch (SubAgentStoppedException e) {
      throw e.reason();
    } catch (IOException | RuntimeException e) {
      // The model judges the fault of a single call.
      return Done.failed("The call failed: " + e, ToolOutcome.FAILED);
    }
  }

  /**
   * Waits until the begin of a call is recorded; returns why it does not begin, null if it does.
   */
  private @Nullable String refused(ToolCall call, ToolArguments arguments)
      throws InterruptedException {
    try {
      return switch (channel.begin(call.id(), call.name(), arguments.json()).get()) {
        case ToolDecision.Allow allow -> null;
        case ToolDecision.Deny(String message) ->
            message.isBlank() ? "The call was not allowed." : message;
      };
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Returns why a call does not run; null when it runs. */
  private @Nullable String denied(
      ToolCall call, ToolArguments arguments, @Nullable ToolDecision decision) {
    return switch (judge(call, arguments)) {
      case ALLOW -> null;
      case DENY ->
          isDenied(call, arguments)
              ? "The rules of this run deny the call. Denied are: %s."
                  .formatted(String.join(", ", rules.deny()))
              : "The rules of this run do not allow the call. Allowed are: %s."
                  .formatted(String.join(", ", rules.allow()));
      case ASK ->
          switch (decision) {
            case ToolDecision.Allow allow -> null;
            case ToolDecision.Deny(String message) ->
                message.isBlank() ? "The call was not allowed." : message;
            case null -> "The decision on the call is missing.";
          };
    };
  }

  /** Whether the rules name the call among those that are denied. */
  private boolean isDenied(ToolCall call, ToolArguments arguments) {
    return new ToolRules(List.of(), List.of(), rules.deny())
            .judge(call.name(), new ToolInput(arguments.json()).main())
        == ToolRules.Verdict.DENY;
  }

  private void add(ToolCall call, Done done) throws IOException {
    ToolOutput output = done.output();
    Plan before = conversation.session().get(Plan.SLICE);
    conversation.addResult(call, output.text(), output.failed(), output.events());
    channel.toolEnded(
        call.id(), call.name(), done.outcome(), output.files(), output.text().length());
    Plan after = conversation.session().get(Plan.SLICE);
    // The trace has the plan of the step's own session.
    if (child.isEmpty() && !after.equals(before)) {
      channel.plan(after);
    }
  }
}
