/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import dev.baton.protocol.trace.AgentChange;
import dev.baton.protocol.trace.AgentTurn;
import dev.baton.protocol.trace.ModelUsage;
import dev.baton.protocol.trace.StepAttempt;
import dev.baton.protocol.trace.TraceEvent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the state of a fold's agent steps: the answers since the boundary that each is resumed
 * from, and what they have spent. Not thread-safe.
 */
final class AgentStateTracker {
  private final Map<String, Draft> drafts = new LinkedHashMap<>();

  AgentStateTracker(Map<String, AgentState> from) {
    from.forEach((path, state) -> drafts.put(path, new Draft(state)));
  }

  /** A state under construction: a copy for each answer would cost as much as all before it. */
  private static final class Draft {
    private int visit;
    private @Nullable String agent;
    private @Nullable String session;
    private @Nullable String checkpoint;
    private int boundary;
    private final List<TraceEvent.ModelAnswered> answers;
    private final Map<String, BegunToolCall> begun;
    private int resumes;
    private int runnerDeaths;

    /** Whether the newest process was resumed, and neither an answer nor a decision followed. */
    private boolean unanswered;

    private long diverged;
    private AgentSpend spend;
    private final Map<String, AgentSpend> conversations;
    private @Nullable AgentFork fork;
    private @Nullable AgentRest rest;

    Draft(AgentState from) {
      visit = from.visit();
      agent = from.agent();
      session = from.session();
      checkpoint = from.checkpoint();
      boundary = from.boundary();
      answers = new ArrayList<>(from.answers());
      begun = new LinkedHashMap<>(from.begun());
      resumes = from.resumes();
      runnerDeaths = from.runnerDeaths();
      unanswered = from.unanswered();
      diverged = from.diverged();
      spend = from.spend();
      conversations = new LinkedHashMap<>(from.conversations());
      fork = from.fork();
      rest = from.rest();
    }

    AgentState state() {
      return new AgentState(
          visit,
          agent,
          session,
          checkpoint,
          boundary,
          answers,
          begun,
          resumes,
          runnerDeaths,
          unanswered,
          diverged,
          spend,
          conversations,
          fork,
          rest);
    }

    /** Starts from the files before the step. */
    void restart() {
      checkpoint = null;
      boundary = 0;
      rest = null;
      answers.clear();
      begun.clear();
      allowResumes();
      leaveParent();
    }

    /** No later process continues the session of the run's parent. */
    void leaveParent() {
      fork = fork == null ? null : fork.begun();
    }

    void allowResumes() {
      resumes = 0;
      runnerDeaths = 0;
      unanswered = false;
    }

    /** The runner of the newest process is gone: the process did not end by itself. */
    void loseRunner() {
      if (unanswered) {
        resumes--;
        runnerDeaths++;
        unanswered = false;
      }
    }

    /** Takes everything but the spending. */
    void returnTo(AgentState then) {
      visit = then.visit();
      agent = then.agent();
      session = then.session();
      checkpoint = then.checkpoint();
      boundary = then.boundary();
      answers.clear();
      answers.addAll(then.answers());
      begun.clear();
      begun.putAll(then.begun());
      resumes = then.resumes();
      runnerDeaths = then.runnerDeaths();
      unanswered = then.unanswered();
      fork = then.fork();
      rest = then.rest();
    }
  }

  Map<String, AgentState> states() {
    Map<String, AgentState> states = new LinkedHashMap<>();
    drafts.forEach((path, draft) -> states.put(path, draft.state()));
    return states;
  }

  private Draft draft(String path) {
    return drafts.computeIfAbsent(path, key -> new Draft(AgentState.NONE));
  }

  /** The run is a fork that changes the agent of a step. */
  void change(String path, AgentChange change) {
    Draft draft = draft(path);
    AgentFork fork = draft.fork == null ? new AgentFork(null, null, null, null, null) : draft.fork;
    draft.fork = fork.with(change);
  }

  void start(TraceEvent.StepStarted started) {
    if (!started.kind().equals("agent")) {
      return;
    }
    Draft draft = draft(started.step());
    if (draft.visit != started.visit()) {
      draft.visit = started.visit();
      draft.session = null;
      draft.restart();
      draft.fork = draft.fork == null ? null : draft.fork.inNextVisit();
    } else if (!Objects.equals(draft.checkpoint, started.resumedFrom())) {
      draft.restart();
    }
  }

  void begin(TraceEvent.AgentSessionCreated created) {
    if (created.parent() != null) {
      return;
    }
    Draft draft = draft(created.step());
    draft.agent = created.agent();
    draft.session = created.session();
    if (created.resumed()) {
      draft.resumes++;
      draft.unanswered = true;
    }
  }

  void answer(TraceEvent.ModelAnswered answer) {
    Draft draft = draft(answer.step());
    if (answer.answer() != null) {
      draft.answers.add(answer);
    }
    if (answer.answer() != null || answer.form().equals(ModelUsage.REPORTED)) {
      draft.allowResumes();
    }
    draft.spend = draft.spend.plus(answer);
    draft.diverged += answer.diverged() ? 1 : 0;
    String conversation = answer.conversation();
    if (!draft.conversations.containsKey(conversation)
        && draft.conversations.size() >= AgentState.MAX_CONVERSATIONS) {
      conversation = AgentState.OTHER_CONVERSATIONS;
    }
    draft.conversations.merge(
        conversation, AgentSpend.NONE.plus(answer), (known, one) -> known.plus(answer));
  }

  /** A call begins that its step does not repeat like others. */
  void begin(TraceEvent.ToolBegun begun) {
    draft(begun.step())
        .begun
        .compute(begun.id(), (id, before) -> BegunToolCall.after(before, begun));
  }

  /** The calls that a resume may repeat are reported: another resume reports only later ones. */
  void repeat(TraceEvent.CallsRepeated repeated) {
    draft(repeated.step()).begun.clear();
  }

  void end(TraceEvent.ToolInvoked invoked) {
    Draft draft = drafts.get(invoked.step());
    if (draft != null && invoked.id() != null) {
      draft.begun.computeIfPresent(invoked.id(), (id, call) -> call.ended(invoked.outcome()));
    }
  }

  /** A person has decided on a call: the resume that follows is not one after a loss. */
  void decided(String path) {
    Draft draft = drafts.get(path);
    if (draft != null) {
      draft.allowResumes();
    }
  }

  /** A boundary that the step is resumed from: the answers before it are in the agent's state. */
  void save(TraceEvent.CheckpointSaved saved) {
    StepAttempt resumes = saved.resumes();
    AgentTurn turn = saved.turn();
    if (saved.cut() == null || resumes == null || turn == null) {
      return;
    }
    Draft draft = drafts.get(resumes.step());
    if (draft != null && draft.visit == resumes.visit()) {
      draft.checkpoint = saved.checkpoint();
      draft.boundary = turn.boundary();
      draft.answers.clear();
      draft.begun.clear();
      draft.leaveParent();
    }
  }

  /** The step has ended; a later one may continue its conversation. */
  void complete(TraceEvent.StepCompleted done) {
    Draft draft = drafts.get(done.step());
    if (draft != null) {
      draft.rest = AgentRest.of(done);
    }
  }

  /** Restarts a step from the files before it, for example since its attempt has failed. */
  void restart(String path) {
    Draft draft = drafts.get(path);
    if (draft != null) {
      draft.restart();
    }
  }

  /** Restarts all steps inside a parallel step. */
  void restartWithin(String prefix) {
    drafts.forEach(
        (path, draft) -> {
          if (path.startsWith(prefix)) {
            draft.restart();
          }
        });
  }

  /** A request to resume the run, or a planned end of its runner: all attempts are left again. */
  void allowResumes() {
    drafts.values().forEach(Draft::allowResumes);
  }

  /** The runner has died: what it interrupted does not count as an end of an agent. */
  void loseRunner() {
    drafts.values().forEach(Draft::loseRunner);
  }

  /** Returns to an earlier state; what was spent since stays spent. */
  void returnTo(Map<String, AgentState> then) {
    drafts.forEach((path, draft) -> draft.returnTo(then.getOrDefault(path, AgentState.NONE)));
  }
}
