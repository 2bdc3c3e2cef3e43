/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Paths of steps: {@code id} on the main line, {@code <parallel path>/<branch>/<id>} inside a
 * parallel step.
 */
public final class StepPath {
  public static final String MAIN = "";

  private StepPath() {}

  /**
   * The branch that a step is on: {@code figures/0} for {@code figures/0/count}, empty for {@code
   * clone}.
   */
  public static String branchOf(String step) {
    int slash = step.lastIndexOf('/');
    return slash < 0 ? MAIN : step.substring(0, slash);
  }

  /** The path of a step with this id on this branch. */
  public static String of(String branch, String id) {
    return branch.isEmpty() ? id : branch + "/" + id;
  }

  /** The step's id without its branch. */
  public static String idOf(String step) {
    return step.substring(step.lastIndexOf('/') + 1);
  }

  /** The branch with this name of a parallel step. */
  public static String branch(String parallel, String name) {
    return parallel + "/" + name;
  }

  /** Whether the branch {@code inner} is {@code outer} itself or grew from it. */
  public static boolean isWithin(String inner, String outer) {
    return outer.isEmpty() || inner.equals(outer) || inner.startsWith(outer + "/");
  }

  /** What a map by path has of the branches that grew from a step, or from a branch. A view. */
  static <V> SortedMap<String, V> under(TreeMap<String, V> map, String path) {
    // '0' is the character after '/'.
    return path.isEmpty() ? map.tailMap("", false) : map.subMap(path + "/", path + "0");
  }
}
