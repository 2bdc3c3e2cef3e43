/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

import dev.baton.gateway.spend.TokenUsage;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What an agent reports. All drivers report the same events; texts are valid Unicode. */
public sealed interface AgentEvent {
  /** The longest text in an event, in characters; longer ones are shortened. */
  int MOST_TEXT = 65_536;

  /**
   * The agent runs and has its session.
   *
   * @param sessionId of the agent; with it the session is resumed
   * @param agent name of the program
   * @param version of the program
   * @param model that the agent uses; empty where unknown
   * @param mcpServers state ({@code connected}, {@code failed}, …) by name
   */
  record SessionStarted(
      String sessionId, String agent, String version, String model, Map<String, String> mcpServers)
      implements AgentEvent {
    public SessionStarted {
      mcpServers = Map.copyOf(mcpServers);
    }
  }

  /**
   * A tool begins.
   *
   * @param callId id of the call in the model's answer, unique in a session
   * @param tool name
   * @param inputDigest {@code sha256:<64 hex>} of the input with sorted fields
   * @param input JSON object for people, shortened above 4 KiB
   * @param parent sub-agent or call that it belongs to; empty for the main conversation
   */
  record ToolBegun(String callId, String tool, String inputDigest, String input, String parent)
      implements AgentEvent {}

  /**
   * The rules allow a call that requested a permission: it runs as soon as it has begun too. Calls
   * for which {@link AgentListener#decide} was called have no such event.
   */
  record ToolAllowed(String callId) implements AgentEvent {}

  /**
   * A tool has ended.
   *
   * @param files changed ones that the agent names, as it names them; not complete
   * @param outputLength of the result in characters, as far as the agent reports it
   */
  record ToolEnded(
      String callId, String tool, ToolOutcome outcome, List<String> files, long outputLength)
      implements AgentEvent {
    public ToolEnded {
      files = List.copyOf(files);
    }
  }

  /** How a tool has ended. */
  enum ToolOutcome {
    OK,
    FAILED,
    DENIED,
    /** The agent ended it, or its effect is unknown. */
    INTERRUPTED
  }

  /** The plan, whole. */
  record PlanUpdated(List<PlanItem> items) implements AgentEvent {
    public PlanUpdated {
      items = List.copyOf(items);
    }
  }

  /**
   * A step of the plan.
   *
   * @param status {@code pending}, {@code in_progress} or {@code completed}
   */
  record PlanItem(String text, String status) {}

  /**
   * A sub-agent begins.
   *
   * @param id of the sub-agent: the call that starts it, or its session
   * @param parent sub-agent or session that started it
   */
  record SubAgentStarted(String id, String parent, String name, String description)
      implements AgentEvent {}

  /** A sub-agent has ended. */
  record SubAgentEnded(String id, ToolOutcome outcome) implements AgentEvent {}

  /**
   * Text for the user, whole parts of an answer.
   *
   * @param parent as in {@link ToolBegun}
   */
  record AssistantText(String text, String parent) implements AgentEvent {}

  /**
   * The agent has replaced its conversation by a summary.
   *
   * @param trigger {@code auto} or {@code manual}
   * @param tokensBefore 0 where unknown
   */
  record Compacted(String trigger, long tokensBefore) implements AgentEvent {}

  /**
   * Usage by the agent's own count: wrong after kills, only for {@code gateway: off}.
   *
   * @param costUsd negative where unknown
   */
  record UsageReported(long input, long output, long cached, double costUsd)
      implements AgentEvent {}

  /**
   * An agent with its own login has an answer of its model.
   *
   * @param id of the answer, by the endpoint or by the agent
   * @param parent as in {@link ToolBegun}
   * @param tools names of the tools that it calls, in its order
   * @param usage as the endpoint has reported it to the agent; null where unknown
   * @param millis from the first event of the answer to its last one; 0 where unknown
   */
  record AnswerReported(
      String id,
      String model,
      String parent,
      List<String> tools,
      @Nullable TokenUsage usage,
      long millis)
      implements AgentEvent {
    public AnswerReported {
      tools = List.copyOf(tools);
    }
  }

  /** A text for the log: a retry, a warning, a line of stderr. */
  record Notice(String text) implements AgentEvent {}

  /**
   * A line that the driver does not understand. It is kept here and otherwise ignored; the first of
   * each kind, then each hundredth is reported.
   *
   * @param kind the type of the line; {@code garbage} for no JSON, {@code too_long} for a line
   *     above the bound, whose rest was dropped
   * @param count lines of this kind so far, with this one
   */
  record UnknownLine(String kind, String line, long count) implements AgentEvent {}
}
