/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A difference between two definitions of a workflow.
 *
 * @param step its path in the definition, {@code *} for the branches of an {@code over}; empty
 *     where it concerns no single step
 */
public record StepChange(String step, What what) {
  /** The part that differs. */
  public enum What {
    ADDED("is new"),
    REMOVED("is gone"),
    KIND("is of another kind"),
    /** Everything that determines the result of the step: all but the rest. */
    INPUTS("has other inputs"),
    /** Title, retry, timeout, next, max_visits, gate, resume. */
    REST("has a different title, retry, timeout, next, gate or resume"),
    ORDER("the order of the steps"),
    WORKFLOW("the workflow's own settings");

    private final String words;

    What(String words) {
      this.words = words;
    }
  }

  /** Returns a description for a person. */
  public String describe() {
    return step.isEmpty() ? what.words + " differ" : "step '" + step + "' " + what.words;
  }

  /** Returns the changes in the order of the old definition's steps; new steps come last. */
  public static List<StepChange> between(Workflow before, Workflow after) {
    Map<String, Step> old = new LinkedHashMap<>();
    collect(before.flow(), "", old);
    Map<String, Step> now = new LinkedHashMap<>();
    collect(after.flow(), "", now);
    List<StepChange> changes = new ArrayList<>();
    if (!sameSettings(before, after)) {
      changes.add(new StepChange("", What.WORKFLOW));
    }
    old.forEach((path, step) -> compare(path, step, now.get(path), changes));
    now.keySet().stream()
        .filter(path -> !old.containsKey(path))
        .forEach(path -> changes.add(new StepChange(path, What.ADDED)));
    List<String> oldOrder = old.keySet().stream().filter(now::containsKey).toList();
    List<String> newOrder = now.keySet().stream().filter(old::containsKey).toList();
    if (!oldOrder.equals(newOrder)) {
      changes.add(new StepChange("", What.ORDER));
    }
    return List.copyOf(changes);
  }

  private static void compare(
      String path,
      Step old,
      @org.jspecify.annotations.Nullable Step now,
      List<StepChange> changes) {
    if (now == null) {
      changes.add(new StepChange(path, What.REMOVED));
    } else if (!now.kind().word().equals(old.kind().word())) {
      changes.add(new StepChange(path, What.KIND));
    } else if (!sameInputs(old, now)) {
      changes.add(new StepChange(path, What.INPUTS));
    } else if (!sameRest(old, now)) {
      changes.add(new StepChange(path, What.REST));
    }
  }

  private static boolean sameSettings(Workflow before, Workflow after) {
    return before.input().equals(after.input())
        && before.isolation() == after.isolation()
        && before.selector().equals(after.selector())
        && before.deadline().equals(after.deadline())
        && before.restart() == after.restart()
        && before.heartbeat().equals(after.heartbeat())
        && before.parkAfter().equals(after.parkAfter());
  }

  /**
   * Whether two steps do the same: the kind with all its settings, {@code when}, {@code workspace}
   * and {@code sandbox}. For a parallel step, its list or the names of its branches, and its join;
   * the steps within are compared separately.
   */
  public static boolean sameInputs(Step one, Step other) {
    return one.when().equals(other.when())
        && one.workspace() == other.workspace()
        && one.sandbox().equals(other.sandbox())
        && sameInputs(one.kind(), other.kind());
  }

  private static boolean sameInputs(StepKind one, StepKind other) {
    return switch (one) {
      case StepKind.Over over ->
          other instanceof StepKind.Over that
              && over.items().equals(that.items())
              && over.join().equals(that.join());
      case StepKind.Branches named ->
          other instanceof StepKind.Branches that
              && named.branches().keySet().equals(that.branches().keySet())
              && named.join().equals(that.join());
      case StepKind.Shell it -> it.equals(other);
      case StepKind.Http it -> it.equals(other);
      case StepKind.Transform it -> it.equals(other);
      case StepKind.Approval it -> it.equals(other);
      case StepKind.Wait it -> it.equals(other);
      case StepKind.Fn it -> it.equals(other);
      case StepKind.Agent it -> it.equals(other);
    };
  }

  private static boolean sameRest(Step one, Step other) {
    return one.title().equals(other.title())
        && one.retry().equals(other.retry())
        && one.timeout().equals(other.timeout())
        && one.next().equals(other.next())
        && one.maxVisits().equals(other.maxVisits())
        && one.gate().equals(other.gate())
        && one.resume() == other.resume()
        && atOnce(one.kind()) == atOnce(other.kind());
  }

  private static int atOnce(StepKind kind) {
    return kind instanceof StepKind.Parallel parallel ? parallel.max() : 0;
  }

  private static void collect(StepFlow flow, String before, Map<String, Step> all) {
    for (Step step : flow.steps()) {
      String path = before + step.id();
      all.put(path, step);
      step.kind().lists().forEach((name, list) -> collect(list, path + "/" + name + "/", all));
    }
  }
}
