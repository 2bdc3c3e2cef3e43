/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.protocol.state.AgentFork;
import dev.baton.protocol.state.AgentState;
import dev.baton.protocol.state.BegunToolCall;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.RepeatedCall;
import dev.baton.protocol.trace.TraceEvent.ModelAnswered;
import dev.baton.protocol.trace.TraceEvent.ToolBegun;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tracks where a process of an agent is resumed after its death: its newest boundary, its session,
 * and the answers since. This is what the fold of the trace has for the next epoch, for a resume
 * within the epoch. Thread-safe.
 */
final class AgentProgressTracker {
  private final List<ModelAnswered> answers;
  private final Map<String, BegunToolCall> begunCalls;
  private @Nullable Cut boundary;
  private @Nullable String session;
  private boolean begun;
  private int resumes;
  private int runnerDeaths;
  private @Nullable AgentFork fork;

  private AgentProgressTracker(
      List<ModelAnswered> answers,
      Map<String, BegunToolCall> begunCalls,
      @Nullable Cut boundary,
      @Nullable String session,
      boolean begun,
      int resumes,
      int runnerDeaths,
      @Nullable AgentFork fork) {
    this.answers = new ArrayList<>(answers);
    this.begunCalls = new LinkedHashMap<>(begunCalls);
    this.boundary = boundary;
    this.session = session;
    this.begun = begun;
    this.resumes = resumes;
    this.runnerDeaths = runnerDeaths;
    this.fork = fork;
  }

  /** Returns the progress of an attempt that starts from the beginning. */
  static AgentProgressTracker fresh() {
    return new AgentProgressTracker(List.of(), Map.of(), null, null, false, 0, 0, null);
  }

  /**
   * Returns the progress that an earlier epoch has left.
   *
   * @param before the fold's state of the step
   * @param boundary whose files the workspace has; null for the files before the step
   */
  static AgentProgressTracker leftBehind(AgentState before, int visit, @Nullable Cut boundary) {
    if (before.visit() != visit) {
      return fresh();
    }
    return new AgentProgressTracker(
        before.answersSince(visit, boundary == null ? null : boundary.checkpoint()),
        before.begunSince(visit, boundary == null ? null : boundary.checkpoint()),
        boundary,
        before.session(),
        true,
        before.resumes(),
        before.runnerDeaths(),
        before.fork());
  }

  /** An answer is on the log. */
  synchronized void answered(ModelAnswered answer) {
    if (answer.answer() != null) {
      answers.add(answer);
      resumes = 0;
      runnerDeaths = 0;
    }
  }

  /** A boundary is on the log: the answers before it are in the agent's state. */
  synchronized void saved(Cut cut) {
    boundary = cut;
    answers.clear();
    begunCalls.clear();
    fork = fork == null ? null : fork.begun();
  }

  /** The begin of a call is on the log. */
  synchronized void begun(ToolBegun call) {
    begunCalls.compute(call.id(), (id, before) -> BegunToolCall.after(before, call));
  }

  /** An answer that the agent itself has reported is on its way to the log. */
  synchronized void reported() {
    resumes = 0;
    runnerDeaths = 0;
  }

  /** Removes and returns the calls that have begun since the boundary, oldest first. */
  synchronized List<RepeatedCall> takeBegun() {
    List<RepeatedCall> calls = new ArrayList<>();
    begunCalls.forEach((id, call) -> calls.add(call.repeated(id)));
    begunCalls.clear();
    return calls;
  }

  /** An end of a call is on the log. */
  synchronized void ended(String call, String outcome) {
    begunCalls.computeIfPresent(call, (id, before) -> before.ended(outcome));
  }

  /** A call that has begun since the boundary; null for others. */
  synchronized @Nullable BegunToolCall begunCall(String id) {
    return begunCalls.get(id);
  }

  synchronized void inSession(String id) {
    session = id;
  }

  /** A process of the agent starts: a resume unless it is the first one. */
  synchronized void started() {
    resumes += begun ? 1 : 0;
    begun = true;
  }

  /** Whether a process of the agent has been started in this visit. */
  synchronized boolean isBegun() {
    return begun;
  }

  /**
   * The number of resumes in a row that no new answer has followed, without those that the death of
   * a runner has ended.
   */
  synchronized int resumes() {
    return resumes;
  }

  /** The number of runners in a row that have died after a resume and before a new answer. */
  synchronized int runnerDeaths() {
    return runnerDeaths;
  }

  /** The newest boundary; null for the files before the step. */
  synchronized @Nullable Cut boundary() {
    return boundary;
  }

  /** The id of its checkpoint; null for the files before the step. */
  synchronized @Nullable String checkpoint() {
    return boundary == null ? null : boundary.checkpoint();
  }

  synchronized @Nullable String session() {
    return session;
  }

  /** The answers since the boundary, oldest first. */
  synchronized List<ModelAnswered> answers() {
    return List.copyOf(answers);
  }

  /** How the step differs from that of the run's parent; null where it does not. */
  synchronized @Nullable AgentFork fork() {
    return fork;
  }
}
