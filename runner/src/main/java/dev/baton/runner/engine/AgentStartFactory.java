/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.agent.AgentStart;
import dev.baton.protocol.state.AgentFork;
import dev.baton.protocol.state.AgentRest;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.runner.steps.StepContext;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Decides how the next process of an agent step starts: with the task, in its session or that of an
 * earlier step, in a fork of the parent's session, or in a new session on files that another one
 * has changed.
 */
record AgentStartFactory(StepContext context, AgentProgressTracker progress) {
  private static final String LOST =
      "An earlier session on this task was lost. Its changes are in the files here: inspect them"
          + " before you continue, and do not repeat what is done.";

  private static final String LOST_EARLIER =
      "This task continues earlier work whose conversation was lost. The changes are in the files"
          + " here: inspect them before you continue, and do not repeat what is done.";

  private static final String OTHER_AGENT =
      "Another agent has worked on this task. Its changes are in the files here: inspect them"
          + " before you continue, and do not repeat what is done.";

  /** Returns the step as this fork changes it. */
  StepKind.Agent changed(StepKind.Agent kind) {
    AgentFork fork = progress.fork();
    return fork == null ? kind : kind.with(fork.use(), fork.model());
  }

  /**
   * @param restored whether the home contains the agent's state at the newest boundary
   * @param earlier the conversation that the step begins with, unless it is restored
   */
  AgentStart start(StepKind.Agent kind, boolean restored, EarlierConversation earlier) {
    String session = progress.session();
    AgentRest rest = earlier.rest();
    if (rest != null) {
      return rest.ofParent()
          ? new AgentStart.Fork(rest.session(), forkOf(rest.session()), task(kind))
          : new AgentStart.Continue(rest.session(), task(kind));
    }
    if (earlier.isWanted()) {
      return new AgentStart.Fresh(after(LOST_EARLIER, kind));
    }
    if (!restored || session == null) {
      return new AgentStart.Fresh(task(kind));
    }
    AgentFork fork = progress.fork();
    String parent = fork == null ? null : fork.session();
    if (fork == null || parent == null) {
      return new AgentStart.Resume(session);
    }
    return kind.use().equals(fork.agent())
        ? new AgentStart.Fork(parent, forkOf(parent), fork.prompt())
        : new AgentStart.Fresh(after(OTHER_AGENT, kind));
  }

  /** The same id in each attempt: a repeated start does not create a second session. */
  private String forkOf(String parent) {
    String name = context.run() + "/" + context.step() + "/" + context.visit() + "/" + parent;
    return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
  }

  /** Returns the start of a new session instead of one that the agent has refused. */
  AgentStart fallback(StepKind.Agent kind, String refused, EarlierConversation earlier) {
    String lost = earlier.isWanted() ? LOST_EARLIER : LOST;
    return new AgentStart.Fallback(after(lost, kind), refused);
  }

  private String after(String earlier, StepKind.Agent kind) {
    return earlier + "\n\nThe task:\n\n" + task(kind);
  }

  /** The prompt of the step, and that of the fork. */
  private String task(StepKind.Agent kind) {
    String prompt = kind.prompt().render(context.scope());
    AgentFork fork = progress.fork();
    @Nullable String more = fork == null ? null : fork.prompt();
    return more == null ? prompt : prompt + "\n\n" + more;
  }
}
