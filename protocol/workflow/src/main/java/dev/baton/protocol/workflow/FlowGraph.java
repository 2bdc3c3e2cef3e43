/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The possible successors of each step of a flow. Steps are represented by their index in the list;
 * the index after the last is the list's end, from which gates lead back.
 */
final class FlowGraph {
  /** Successors by transitions alone. */
  private final List<List<Integer>> ways = new ArrayList<>();

  /** Successors by transitions and gates. */
  private final List<List<Integer>> after = new ArrayList<>();

  private final List<List<Integer>> before = new ArrayList<>();
  private final int end;
  private final boolean straight;

  FlowGraph(StepFlow flow) {
    List<Step> steps = flow.steps();
    Map<String, Integer> index = new HashMap<>();
    for (int i = 0; i < steps.size(); i++) {
      index.put(steps.get(i).id(), i);
      ways.add(new ArrayList<>());
      after.add(new ArrayList<>());
      before.add(new ArrayList<>());
    }
    end = steps.size();
    after.add(new ArrayList<>());
    before.add(new ArrayList<>());
    boolean noJumps = true;
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      boolean always = false;
      boolean ends = step.gate().isPresent();
      Integer back = step.gate().flatMap(StepGate::to).map(index::get).orElse(null);
      if (back != null) {
        noJumps = false;
        link(end, back);
      }
      for (StepTransition arm : step.next()) {
        noJumps = false;
        always |= arm.when().isEmpty() && arm.on() != StepTransition.On.FAILURE;
        ends |= arm.to().equals(StepTransition.END);
        Integer to = index.get(arm.to());
        if (to != null) {
          ways.get(i).add(to);
          link(i, to);
        }
      }
      if (!always && i + 1 < steps.size()) {
        ways.get(i).add(i + 1);
        link(i, i + 1);
      }
      if (ends || (!always && i + 1 == end)) {
        link(i, end);
      }
    }
    straight = noJumps;
  }

  private void link(int from, int to) {
    after.get(from).add(to);
    before.get(to).add(from);
  }

  /**
   * Returns the successors by the step's own transitions, without gates, which are bounded by the
   * reroute limit.
   */
  List<Integer> ways(int step) {
    return ways.get(step);
  }

  /**
   * Returns the steps that may have run when this one begins, including itself where it is on a
   * cycle.
   */
  BitSet earlier(int step) {
    BitSet found = new BitSet(before.size());
    if (straight) {
      found.set(0, step);
      return found;
    }
    spread(before, before.get(step), found);
    found.clear(end);
    return found;
  }

  /** Returns the steps that can run. */
  BitSet reachable() {
    BitSet found = new BitSet(after.size());
    spread(after, List.of(0), found);
    return found;
  }

  private static void spread(List<List<Integer>> edges, List<Integer> from, BitSet found) {
    ArrayDeque<Integer> open = new ArrayDeque<>(from);
    while (!open.isEmpty()) {
      int at = open.pop();
      if (!found.get(at)) {
        found.set(at);
        open.addAll(edges.get(at));
      }
    }
  }
}
