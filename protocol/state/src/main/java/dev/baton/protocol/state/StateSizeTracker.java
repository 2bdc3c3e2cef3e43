/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.JsonLengthCalculator;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measures a run's state by the events that it consists of: what a later event replaces no longer
 * counts. The checkpoint-store bounds by it what it folds, and a runner by the same measure what it
 * adds, so that no run grows beyond what can be resumed. Not thread-safe.
 */
public final class StateSizeTracker {
  /** What an output by reference takes, in bytes of JSON. */
  public static final int REFERENCE = 128;

  /** What a step takes beside its path and output, and what a cut of it does. */
  private static final int STEP = 256;

  private static final int CUT = 320;

  private final Map<String, Part> steps = new HashMap<>();
  private final Map<String, Integer> lasts = new HashMap<>();
  private final Map<String, Integer> others = new HashMap<>();
  private long bytes;
  private long inlineBytes;

  /**
   * Of a step, in bytes of JSON.
   *
   * @param event its end
   * @param inline the part of it that is an output within the message
   * @param error its newest failure, which an earlier output stays beside
   */
  private record Part(int event, int inline, int error) {
    static final Part NONE = new Part(0, 0, 0);
  }

  /** Measures a state that was folded before, as the events it came from would be measured. */
  public static StateSizeTracker of(RunState state) {
    StateSizeTracker size = new StateSizeTracker();
    if (state.created() != null) {
      size.put("created", Json.bytes(state.created()).length);
    }
    state
        .steps()
        .forEach(
            (path, step) ->
                size.end(path, STEP + 2 * path.length() + cut(step.cut()), inline(step.output())));
    state
        .branches()
        .forEach(
            (path, branch) -> {
              if (branch.last() != null) {
                size.last(path, inline(branch.last().output()));
              }
            });
    state.approvals().forEach((id, asked) -> size.put("approval " + id, Json.bytes(asked).length));
    state.plans().forEach((path, plan) -> size.put("plan " + path, JsonLengthCalculator.of(plan)));
    return size;
  }

  /** Adds an event that the fold has accepted, or will. */
  public void add(TraceEvent event) {
    switch (event) {
      case TraceEvent.RunCreated birth -> put("created", Json.bytes(birth).length);
      case TraceEvent.LabelsChanged changed -> put("labels", Json.bytes(changed).length);
      case TraceEvent.ApprovalAnswered answered ->
          put("answer " + answered.approval(), Json.bytes(answered).length);
      case TraceEvent.ApprovalRequested asked ->
          put("approval " + asked.approval(), Json.bytes(asked).length);
      case TraceEvent.PlanUpdated plan ->
          put("plan " + plan.step(), JsonLengthCalculator.of(plan.items()));
      case TraceEvent.StepCompleted done -> {
        int inline = inline(done.output());
        if (done.kind().equals("parallel")) {
          // Its branches are over; what their steps left stays.
          forgetBranches(done.step());
        }
        end(done.step(), ended(done), inline);
        // Kept twice, beside what else there is: as the branch's newest.
        last(StepPath.branchOf(done.step()), inline);
      }
      case TraceEvent.StepSkipped skip -> {
        if (!skip.tellsAgain()) {
          end(skip.step(), STEP + 3 * skip.step().length() + skip.reason().length(), 0);
        }
      }
      case TraceEvent.StepFailed failed -> {
        // Beside the output of an earlier visit, which stays.
        Part old = steps.getOrDefault(failed.step(), Part.NONE);
        int error =
            STEP
                + 3 * failed.step().length()
                + failed.error().message().length()
                + cut(failed.cut());
        bytes += error - old.error();
        steps.put(failed.step(), new Part(old.event(), old.inline(), error));
      }
      case TraceEvent.RunCompleted done ->
          put("output", Math.max(inline(done.output()), REFERENCE));
      // Small, or replaces nothing of what a step has left.
      case TraceEvent.Runner other -> {}
      case TraceEvent.Control other -> {}
    }
  }

  /** What the completion of a step adds, if nothing of it was there before. */
  public static long completed(String step, @Nullable Output output) {
    return STEP + CUT + 3L * step.length() + 2L * Math.max(inline(output), REFERENCE);
  }

  private static int ended(TraceEvent.StepCompleted done) {
    return STEP + 2 * done.step().length() + done.next().toString().length() + cut(done.cut());
  }

  private static int cut(@Nullable Cut cut) {
    return cut == null ? 0 : CUT;
  }

  /** Bytes of JSON. */
  public long bytes() {
    return bytes;
  }

  /** Of it, what outputs within messages take, counted once. */
  public long inlineBytes() {
    return inlineBytes;
  }

  private void end(String step, int size, int inline) {
    Part now = new Part(size + Math.max(inline, REFERENCE), inline, 0);
    Part old = steps.put(step, now);
    Part before = old == null ? Part.NONE : old;
    bytes += now.event() - before.event() - before.error();
    inlineBytes += inline - before.inline();
  }

  private void last(String branch, int inline) {
    int size = Math.max(inline, REFERENCE);
    Integer before = lasts.put(branch, size);
    bytes += size - (before == null ? 0 : before);
  }

  private void forgetBranches(String parallel) {
    String prefix = parallel + "/";
    lasts
        .entrySet()
        .removeIf(
            last -> {
              boolean over = last.getKey().startsWith(prefix);
              bytes -= over ? last.getValue() : 0;
              return over;
            });
  }

  private void put(String part, int size) {
    Integer before = others.put(part, size);
    bytes += size - (before == null ? 0 : before);
  }

  private static int inline(@Nullable Output output) {
    return output instanceof Output.Inline(var value) ? JsonLengthCalculator.of(value) : 0;
  }
}
