/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.reconcile.LastRunnerExit;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.trace.DamagedCheckpoint;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.ForkedFrom;
import dev.baton.protocol.trace.ToolCall;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A run as the API returns it.
 *
 * @param epoch the orchestrator's current epoch; the trace may lag
 * @param currentSteps paths of steps that have started and not ended
 * @param fenced number of dropped events of runners that no longer held the baton
 * @param traceGap description of the first gap in the seqs of its trace: an event was lost; null
 *     otherwise
 * @param logGap the managed run is paused, or about to be, since its log lacks control events; null
 *     once a person has resumed it
 * @param priority -100 to 100: runs with a higher priority are admitted and launched first
 * @param queued the run waits for admission under its workflow's limit, or for room on a launcher;
 *     null otherwise
 * @param parked the run waits without a runner; null otherwise
 * @param output JSON, or {@code {"digest": …, "size_bytes": …}} when it is large
 * @param crashLoop its runners end repeatedly without completing a step; null otherwise
 * @param degraded the newest damaged checkpoints, at most 16, since which the run continued from an
 *     older state; null if there are none
 * @param agent what the run's agents have spent, and the newest session; null without agents
 * @param notifications delivered and pending ones, kept for a week
 * @param homePartition of the topic {@code baton.trace}, which every writer of the run's events
 *     must name; null until the first event of a run of an earlier version is read
 * @param lease only in the response that creates an external run
 * @param steps only when a single run is requested
 * @param stepsUnavailable why {@code steps} is null although a single run is requested
 * @param withoutCheckpoint steps whose files could not be stored, which a replacement would run
 *     again; only with steps
 * @param leftOut paths that checkpoints do not include and that were missing when the newest runner
 *     took over; only with steps
 */
@Schema(name = "Run")
public record RunView(
    String id,
    String displayId,
    String project,
    @Nullable String workflow,
    @Nullable String definitionHash,
    String kind,
    String status,
    int epoch,
    List<String> currentSteps,
    Map<String, String> labels,
    Instant createdAt,
    @Nullable ForkedFrom forkedFrom,
    int priority,
    @Nullable Queued queued,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt,
    @Nullable Instant deadline,
    long completedSteps,
    long fenced,
    @Nullable String traceGap,
    @Nullable LogGap logGap,
    @Nullable JsonNode output,
    @Nullable Failure error,
    @Nullable RunnerRef runner,
    List<Waiting> waiting,
    @Nullable CrashLoop crashLoop,
    @Nullable List<DamagedCheckpoint> degraded,
    @Nullable RunAgentView agent,
    List<Notice> notifications,
    @Nullable Parked parked,
    @Nullable Integer homePartition,
    @Nullable String lease,
    @Nullable List<RunStepView> steps,
    @Nullable String stepsUnavailable,
    @Nullable List<String> withoutCheckpoint,
    @Nullable List<String> leftOut) {

  /**
   * @param lane {@code c}, the control lane
   * @param expected the first missing seq
   * @param found seq of the event that was read instead
   */
  @Schema(name = "LogGap")
  public record LogGap(String lane, long expected, long found) {}

  /**
   * The runner that carries the run, as it reported itself.
   *
   * @param phase {@code queued}, {@code pulling}, {@code starting} or {@code running}; null once it
   *     has attached
   * @param reason why its launcher has not started it yet; null if unknown
   */
  @Schema(name = "RunRunner")
  public record RunnerRef(
      String id,
      @Nullable Long pid,
      @Nullable String host,
      @Nullable String phase,
      @Nullable String reason) {}

  /**
   * An approval that waits for a person.
   *
   * @param checkpoint digest of the files it applies to; null when no checkpoint has them
   * @param tool the tool call of an agent that it is about, without its input where both are above
   *     8 KiB; null for an approval step
   */
  @Schema(name = "WaitingApproval")
  public record Waiting(
      String approval,
      String step,
      String prompt,
      @Nullable String checkpoint,
      @Nullable ToolCall tool) {}

  /**
   * @param failovers number of consecutive ones without a completed step
   * @param nextAttemptAt when the next runner starts; null when it has started
   */
  public record CrashLoop(
      int failovers, @Nullable Instant nextAttemptAt, @Nullable LastRunnerExit lastExit) {}

  /**
   * @param channel {@code topic} or {@code webhook}
   * @param status {@code pending}, {@code delivered} or {@code failed} (permanently)
   * @param lastError of the last failed attempt
   * @param nextAttemptAt while it is pending
   */
  @Schema(name = "RunNotification")
  public record Notice(
      String id,
      String event,
      String channel,
      String status,
      int attempts,
      @Nullable String lastError,
      @Nullable Instant nextAttemptAt) {}

  /**
   * @param until when it resumes by itself; null: only an answer resumes it
   */
  @Schema(name = "ParkedRun")
  public record Parked(Instant since, @Nullable Instant until) {}

  /**
   * @param position 1 is next; 1,000 means that or more
   * @param limit maximum number of active runs of the project or the workflow, or of live runners
   *     of the launcher or its pool; null when it has just been removed, or the launcher itself
   *     refuses
   * @param reason {@code project_limit}, {@code workflow_limit}, {@code launcher_limit}, {@code
   *     pool_limit}, {@code launcher_no_room}, {@code launcher_rejected}, {@code
   *     launcher_unavailable} or {@code pool_missing}
   * @param launcher that has no room; null under a workflow's limit
   * @param pool of the launcher that has no room; null when the launcher itself has none
   * @param detail what the launcher reports; null under a limit
   */
  @Schema(name = "QueuedRun")
  public record Queued(
      int position,
      @Nullable Integer limit,
      Instant since,
      String reason,
      @Nullable String launcher,
      @Nullable String pool,
      @Nullable String detail) {}

  RunView withSteps(RunState state) {
    List<String> without =
        state.branches().values().stream().flatMap(line -> line.uncommitted().stream()).toList();
    List<RunStepView> steps = state.steps().values().stream().map(RunStepView::of).toList();
    return copy(lease, steps, null, without, state.head().leftOut());
  }

  RunView withoutSteps(String why) {
    return copy(lease, null, why, null, null);
  }

  RunView withLease(String token) {
    return copy(token, steps, stepsUnavailable, withoutCheckpoint, leftOut);
  }

  private RunView copy(
      @Nullable String token,
      @Nullable List<RunStepView> folded,
      @Nullable String why,
      @Nullable List<String> without,
      @Nullable List<String> missing) {
    return new RunView(
        id,
        displayId,
        project,
        workflow,
        definitionHash,
        kind,
        status,
        epoch,
        currentSteps,
        labels,
        createdAt,
        forkedFrom,
        priority,
        queued,
        startedAt,
        endedAt,
        deadline,
        completedSteps,
        fenced,
        traceGap,
        logGap,
        output,
        error,
        runner,
        waiting,
        crashLoop,
        degraded,
        agent,
        notifications,
        parked,
        homePartition,
        token,
        folded,
        why,
        without,
        missing == null || missing.isEmpty() ? null : missing);
  }
}
