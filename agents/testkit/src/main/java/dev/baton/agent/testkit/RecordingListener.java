/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentListener;
import dev.baton.agent.ToolApproval;
import dev.baton.agent.ToolDecision;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;

/** Keeps the events of a session. */
public final class RecordingListener implements AgentListener {
  private final List<AgentEvent> events = new ArrayList<>();
  private final List<ToolApproval> approvals = new ArrayList<>();
  private final List<ToolApproval> begun = new ArrayList<>();
  private final Function<ToolApproval, CompletionStage<ToolDecision>> decisions;

  public RecordingListener() {
    this(approval -> CompletableFuture.completedFuture(new ToolDecision.Allow()));
  }

  public RecordingListener(Function<ToolApproval, CompletionStage<ToolDecision>> decisions) {
    this.decisions = decisions;
  }

  @Override
  public void happened(AgentEvent event) {
    synchronized (events) {
      events.add(event);
      events.notifyAll();
    }
  }

  @Override
  public CompletionStage<ToolDecision> decide(ToolApproval approval) {
    synchronized (events) {
      approvals.add(approval);
    }
    return decisions.apply(approval);
  }

  /** Decides on the begin as on the call. */
  @Override
  public CompletionStage<ToolDecision> begin(ToolApproval call) {
    synchronized (events) {
      begun.add(call);
    }
    return decisions.apply(call);
  }

  /** The calls whose begin was reported. */
  public List<ToolApproval> begun() {
    synchronized (events) {
      return List.copyOf(begun);
    }
  }

  public List<AgentEvent> events() {
    synchronized (events) {
      return List.copyOf(events);
    }
  }

  public List<ToolApproval> approvals() {
    synchronized (events) {
      return List.copyOf(approvals);
    }
  }

  public <T extends AgentEvent> List<T> of(Class<T> type) {
    return events().stream().filter(type::isInstance).map(type::cast).toList();
  }

  /** Waits at most 60 s until there are so many events but notices, or the session has ended. */
  public void awaitNumber(int number, CompletableFuture<?> end) throws InterruptedException {
    end.whenComplete(
        (_, _) -> {
          synchronized (events) {
            events.notifyAll();
          }
        });
    long bound = System.nanoTime() + 60_000_000_000L;
    synchronized (events) {
      while (withoutNotices() < number && !end.isDone()) {
        long left = (bound - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          return;
        }
        events.wait(left);
      }
    }
  }

  private long withoutNotices() {
    return events.stream().filter(event -> !(event instanceof AgentEvent.Notice)).count();
  }

  /** Waits for an event; false when none comes in 60 s. */
  public boolean await(Predicate<AgentEvent> wanted) throws InterruptedException {
    long end = System.nanoTime() + 60_000_000_000L;
    synchronized (events) {
      while (events.stream().noneMatch(wanted)) {
        long left = (end - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          return false;
        }
        events.wait(left);
      }
      return true;
    }
  }
}
