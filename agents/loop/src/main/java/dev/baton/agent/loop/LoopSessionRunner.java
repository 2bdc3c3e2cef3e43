/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop;

import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent.ToolOutcome;
import dev.baton.agent.loop.model.LoopModelCaller;
import dev.baton.agent.loop.model.LoopModelException;
import dev.baton.agent.loop.model.LoopModelFactory;
import dev.baton.agent.loop.model.LoopModelName;
import dev.baton.agent.loop.session.LoopConversation;
import dev.baton.agent.loop.session.SessionFileException;
import dev.baton.agent.loop.tool.LoopTool;
import dev.baton.agent.loop.tool.LoopToolRegistry;
import dev.baton.agent.loop.tool.SubAgentTool;
import dev.baton.agent.loop.tool.ToolFailureException;
import dev.baton.agent.loop.tool.ToolLimits;
import dev.baton.protocol.json.TextShortener;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Runs the session of a step, and those of its sub-agents, one at a time. A call that begins again
 * continues the session that it had started. For one thread.
 */
final class LoopSessionRunner {
  /** Sub-agents of sub-agents have none. */
  static final int MAX_DEPTH = 2;

  /** The most sub-agents of a session. */
  static final int MAX_CHILDREN = 50;

  /** The most answers of a sub-agent. */
  private static final int MAX_CHILD_ANSWERS = 200;

  private static final int MAX_DESCRIPTION = 200;

  private static final String RULES =
      """


      You work for another agent, which has given you one part of its work. Your final text is all \
      that it gets: give it what its task requires, with names of files and numbers of lines.
      """;

  private final LoopSettings settings;
  private final LoopChannel channel;
  private final List<? extends LoopTool> servers;

  /**
   * @param servers tools of MCP servers
   */
  LoopSessionRunner(LoopSettings settings, LoopChannel channel, List<? extends LoopTool> servers) {
    this.settings = settings;
    this.channel = channel;
    this.servers = servers;
  }

  /** Runs the session of the step to the end of its turn. */
  AgentEnd run(LoopConversation conversation) throws IOException, InterruptedException {
    try {
      return loop(settings, conversation, List.of(), 0).run();
    } catch (LoopModelException e) {
      return new AgentEnd(
          e.isBudget() ? AgentEnd.Kind.BUDGET : AgentEnd.Kind.FAILED,
          "",
          0,
          String.valueOf(e.getMessage()));
    }
  }

  /**
   * @param only names of its tools; empty for all
   * @param depth 0 for the session of the step
   */
  private AgentLoop loop(
      LoopSettings own, LoopConversation conversation, List<String> only, int depth)
      throws IOException {
    List<LoopTool> more = new ArrayList<>(servers);
    if (depth < MAX_DEPTH) {
      more.add(
          new SubAgentTool(
              (call, prompt, tools) -> child(own, conversation, call, prompt, tools, depth + 1),
              ToolLimits.STANDARD));
    }
    LoopToolRegistry tools =
        new LoopToolRegistry(
                Path.of(own.workspace()), conversation.session(), ToolLimits.STANDARD, more)
            .only(only);
    LoopModelCaller model =
        new LoopModelCaller(
            LoopModelFactory.create(
                LoopModelName.parse(own.model()), own.gateway(), own.token(), own.session()),
            tools.specifications(),
            channel::notice);
    return new AgentLoop(
        own,
        conversation,
        tools,
        model,
        channel,
        depth == 0 ? "" : own.session(),
        depth == 0 ? AgentLoop.MAX_ANSWERS : MAX_CHILD_ANSWERS);
  }

  private String child(
      LoopSettings parent,
      LoopConversation starting,
      String call,
      String prompt,
      List<String> tools,
      int depth)
      throws ToolFailureException, IOException, InterruptedException {
    String id = starting.child(call);
    if (id == null) {
      int number = starting.session().children().size() + 1;
      if (number > MAX_CHILDREN) {
        throw new ToolFailureException(
            "The session has started %d sub-agents, the most that are allowed. Do the work yourself."
                .formatted(MAX_CHILDREN));
      }
      id = id(parent.session(), number);
      starting.addChild(call, id);
    }
    channel.childStarted(id, parent.session(), TextShortener.shorten(prompt, MAX_DESCRIPTION));
    ToolOutcome outcome = ToolOutcome.INTERRUPTED;
    try (LoopConversation conversation = conversation(parent, id, prompt)) {
      AgentEnd end = loop(parent.ofChild(id, prompt, rules()), conversation, tools, depth).run();
      outcome = end.kind() == AgentEnd.Kind.COMPLETED ? ToolOutcome.OK : ToolOutcome.FAILED;
      if (outcome == ToolOutcome.FAILED) {
        throw new ToolFailureException("The sub-agent failed: " + end.message());
      }
      return end.text();
    } catch (LoopModelException e) {
      throw new SubAgentStoppedException(e);
    } catch (SessionFileException e) {
      outcome = ToolOutcome.FAILED;
      throw new ToolFailureException(
          "The sub-agent was interrupted, and its session cannot be continued: %s. Read the files before you repeat its work."
              .formatted(e.getMessage()));
    } finally {
      channel.childEnded(id, outcome);
    }
  }

  private String rules() {
    return (settings.system().strip() + RULES).strip();
  }

  /** The same id whenever a session starts its n-th child. */
  private static String id(String parent, int number) {
    return UUID.nameUUIDFromBytes((parent + "/" + number).getBytes(StandardCharsets.UTF_8))
        .toString();
  }

  private static LoopConversation conversation(LoopSettings parent, String id, String prompt)
      throws SessionFileException, IOException {
    Path home = Path.of(parent.home());
    return Files.exists(LoopConversation.file(home, id))
        ? LoopConversation.open(home, id)
        : LoopConversation.begin(home, id, parent.session(), prompt, List.of());
  }
}
